import { memoryStore } from "../../src/store/memory.js";
import { contractOf } from "../contract/store.js";

contractOf("memory", () => {
  let now = 1_700_000_000_000;
  return {
    store: memoryStore({}, () => now),
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
});
