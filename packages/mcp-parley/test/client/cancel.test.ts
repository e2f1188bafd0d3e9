import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Canceller, follow } from "../../src/client/cancel.js";

describe("a cancellation", () => {
  test("tells everyone who still waits, in the order they came, and nobody twice", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("wait" as const) }),
      fc.record({ do: fc.constant("leave" as const), who: fc.nat(9) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const one = new Canceller();
        const told: number[] = [];
        const leaves: (() => void)[] = [];
        let waiting: number[] = [];
        for (const next of steps) {
          if (next.do === "wait") {
            const id = leaves.length;
            leaves.push(one.onCancel(() => told.push(id)));
            waiting.push(id);
          } else {
            leaves[next.who]?.();
            waiting = waiting.filter((id) => id !== next.who);
          }
        }
        one.cancel("over");
        one.cancel("again");
        for (const leave of leaves) leave();
        expect(told).toEqual(waiting);
      }),
    );
  });

  test("is not heard by whoever leaves while others are told", () => {
    const one = new Canceller();
    const told: string[] = [];
    let leaveLast = (): void => undefined;
    const leaveFirst = one.onCancel(() => {
      told.push("first");
      leaveFirst();
      leaveLast();
    });
    one.onCancel(() => told.push("middle"));
    leaveLast = one.onCancel(() => told.push("last"));
    one.cancel("over");
    expect(told).toEqual(["first", "middle"]);
  });

  test("is told at once to whoever asks afterwards", () => {
    const one = new Canceller();
    one.cancel("over");
    const told: unknown[] = [];
    const leave = one.onCancel((reason) => told.push(reason));
    leave();
    expect(told).toEqual(["over"]);
  });

  test("of a client is heard by what follows it, until it is left", () => {
    const closing = new Canceller();
    const [heard, left] = [new Canceller(), new Canceller()];
    follow(heard, undefined, closing);
    follow(left, undefined, closing)();
    closing.cancel("closed");
    expect([heard.isCancelled, left.isCancelled]).toEqual([true, false]);
  });
});
