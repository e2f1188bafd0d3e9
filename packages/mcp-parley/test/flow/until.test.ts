import { describe, expect, it } from "vitest";
import { createMcpServer, link, text } from "../../src/entry/index.js";
import type { LinkAbout } from "../../src/entry/index.js";
import { memoryStore } from "../../src/store/memory.js";
import { newKeyText } from "../../src/state/key-text.js";
import { accept, drive, textOf } from "../support/caller.js";
import { hosts } from "../support/hosts.js";

describe("a link that is waited for", () => {
  it("goes on in rounds that ask nothing until the page is done, which knows the flow by its ticket", async () => {
    const tickets: string[] = [];
    const asked: LinkAbout[] = [];
    const done = new Set<string>();
    const parts = { keys: newKeyText(), store: memoryStore(), log: false } as const;
    const make = () =>
      createMcpServer({ name: "links", version: "1" }, parts).tool("t", {}, async (_, call) => {
        await call.ask(
          "page",
          link("Open", (ticket) => `https://example.com/?t=${String(tickets.push(ticket))}`, {
            until: (_signal, about) => {
              asked.push(about);
              return done.has(about.flow);
            },
            waitFor: 1,
          }),
        );
        return text("done");
      });
    const inMemory = hosts["in memory"];
    if (inMemory === undefined) throw new Error("no host");
    const host = await inMemory(make, true);
    const page = make();
    let rounds = 0;
    const { last, asked: questions } = await drive(
      {
        send: (...of) => {
          rounds += 1;
          if (rounds === 4) {
            const opened = page.openTicket(tickets[0], undefined);
            if (opened.ok) done.add(opened.flow);
          }
          return host.send(...of);
        },
        close: () => host.close(),
      },
      "tools/call",
      { name: "t" },
      { page: accept() },
    );
    expect(textOf(last)).toBe("done");
    expect(questions).toEqual([["page"], [], []]);
    expect(tickets).toHaveLength(1);
    expect(new Set(asked.map(({ key }) => key))).toEqual(new Set(["page"]));
    page.close();
    await host.close();
  });
});
