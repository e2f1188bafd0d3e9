import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { KEYS, TerminalSession, hasTerminal } from "./support/terminal.js";

const DEMO = fileURLToPath(new URL("../../../demo/dist/demo.js", import.meta.url));
const { enter, up } = KEYS;

test.skipIf(!hasTerminal)("at a terminal the demo has the user confirm, then choose", async () => {
  const at = new TerminalSession([DEMO]);
  await at.until(/round 1 {2}instance \w {2}asks "sure"\n.*killed/);
  await at.type(/Publish version 2\.0\.0\?[^]*◆ {2}Your answer/, enter);
  await at.type(/◆ {2}channel\n[^]*● beta/, up, enter);
  await at.type("● Send this", enter);
  expect(await at.exit).toBe(0);
  expect(at.screen).toContain("Published 2.0.0 on stable.");
  expect(at.screen).toMatch(/\n3 rounds, 3 instances, 1 killed, 1 effect$/);
});
