import fc from "fast-check";
import { expect, it } from "vitest";
import type { McpServer, Principal } from "../../src/entry/index.js";
import { accept, request } from "../support/caller.js";
import type { Turn } from "../support/caller.js";
import type { Wire } from "../support/hosts.js";
import { ALICE, BOB, MALLORY, REFUSED, bank, scene } from "./bank.js";

/**
 * A bounded run of attackers who do anything at all: every caller may send any state that anybody
 * was ever given, as it was or changed, with any tool, arguments and answers, to either instance.
 */
interface Move {
  readonly who: number;
  readonly tool: string;
  readonly to: string;
  readonly amount: number;
  /** Which of the states seen so far; none for a first call. */
  readonly state: number | undefined;
  /** Keeps to what the state was made for, as an honest client would. */
  readonly honest: boolean;
  /** A character of the state that is changed. */
  readonly changed: number | undefined;
  readonly sure: string | undefined;
  readonly memo: unknown;
  readonly instance: number;
}

/** What a state was made for. */
interface Made {
  readonly text: string;
  readonly who: number;
  readonly call: Wire;
  readonly flow: { approved: boolean; moved: number };
  /** Whether the memo is what it asks for. */
  readonly last: boolean;
}

const CALLERS: readonly (Principal | undefined)[] = [ALICE, BOB, MALLORY, undefined];

const move: fc.Arbitrary<Move> = fc.record({
  who: fc.nat(CALLERS.length - 1),
  tool: fc.constantFrom("transfer", "refund"),
  to: fc.constantFrom("landlord", "mallory"),
  amount: fc.constantFrom(1, 100),
  state: fc.option(fc.nat(1_000), { nil: undefined, freq: 6 }),
  honest: fc.boolean(),
  changed: fc.option(fc.nat(1_000), { nil: undefined, freq: 1 }),
  sure: fc.constantFrom("accept", "accept", "decline", "cancel", "perhaps", undefined),
  memo: fc.constantFrom<unknown>("rent", "rent", 7, undefined, { x: 1 }),
  instance: fc.nat(1),
});

async function ask(server: McpServer, message: Wire, who: Principal | undefined): Promise<Turn> {
  const reply = await server.dispatch(message, {
    principal: who,
    signal: new AbortController().signal,
    notify: () => undefined,
  });
  const { result, error } = JSON.parse(reply?.text ?? "{}") as Pick<Turn, "result" | "error">;
  return { result, error, notified: [] };
}

it("whatever anybody does, money moves only where its owner said yes to that, and once", async () => {
  const reached = { moved: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 30, maxLength: 80 }), async (moves) => {
      const at = scene();
      const instances = [bank(at), bank(at)];
      const states: Made[] = [];
      for (const each of moves) {
        // the latest states are the likeliest to lead somewhere
        const used = each.state === undefined ? undefined : states.at(-1 - (each.state % 6));
        const own = used !== undefined && each.honest;
        const who = own ? used.who : each.who;
        const call = own
          ? used.call
          : { name: each.tool, arguments: { to: each.to, amount: each.amount } };
        const inputResponses = {
          ...(each.sure === undefined ? {} : { sure: { action: each.sure } }),
          ...(each.memo === undefined ? {} : { memo: accept({ memo: each.memo }) }),
        };
        const requestState = changed(used?.text, each.changed);
        const params = {
          ...call,
          inputResponses,
          ...(requestState === undefined ? {} : { requestState }),
        };
        const before = at.moved.length;
        const server = instances[each.instance] as McpServer;
        const { result, error } = await ask(server, request("tools/call", params), CALLERS[who]);
        const moved = at.moved.length - before;

        const fits =
          used === undefined ||
          (requestState === used.text &&
            who === used.who &&
            JSON.stringify(call) === JSON.stringify(used.call));
        if (!fits) {
          expect(error).toEqual(REFUSED);
          expect(moved).toBe(0);
          reached.refused += 1;
          continue;
        }
        const flow = used?.flow ?? { approved: false, moved: 0 };
        if (moved > 0) {
          expect(used?.last).toBe(true);
          expect(flow).toEqual({ approved: true, moved: 0 });
          const { to, amount } = call["arguments"] as { to: string; amount: number };
          expect(at.moved.at(-1)).toBe(`${String(call["name"])} ${String(amount)} to ${to}`);
          flow.moved += moved;
          reached.moved += 1;
        }
        expect(flow.moved).toBeLessThanOrEqual(1);
        if (result?.["resultType"] === "input_required") {
          const last = "memo" in ((result["inputRequests"] as Wire | undefined) ?? {});
          if (last && used !== undefined && each.sure === "accept") flow.approved = true;
          if (last) expect(flow.approved).toBe(true);
          states.push({ text: result["requestState"] as string, who, call, flow, last });
        }
      }
      for (const server of instances) server.close();
    }),
    { numRuns: 100, interruptAfterTimeLimit: 5_000 },
  );
  // It would prove nothing if no flow had come to its end, or no attack been tried.
  expect(reached.moved).toBeGreaterThan(5);
  expect(reached.refused).toBeGreaterThan(100);
});

function changed(text: string | undefined, at: number | undefined): string | undefined {
  if (text === undefined || at === undefined) return text;
  const place = at % text.length;
  return text.slice(0, place) + (text[place] === "A" ? "B" : "A") + text.slice(place + 1);
}
