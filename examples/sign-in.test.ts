import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "mcp-parley/client";
import type { Client } from "mcp-parley/client";
import { NO_CHROMIUM, chromiumProgram } from "./support/chromium.js";
import { start } from "./sign-in/start.js";
import type { Started } from "./sign-in/start.js";

/** Installing a browser takes a while, where that has to happen at all. */
const INSTALLS_WITHIN_MS = 600_000;

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

let browser: Browser | undefined;
let example: Started;
const clients: Client[] = [];

beforeAll(async () => {
  example = await start(0);
  const executablePath = await chromiumProgram();
  if (executablePath === undefined) console.warn(NO_CHROMIUM);
  else browser = await chromium.launch({ executablePath, args: FLAGS.split(" ") });
}, INSTALLS_WITHIN_MS);

afterAll(async () => {
  for (const client of clients) await client.close();
  await browser?.close();
  await example.close();
});

/** Calls the tool for someone; gives the link they are asked to open, and what the call comes to. */
async function callAs(name: string): Promise<{ link: string; result: Promise<unknown> }> {
  let opened: (link: string) => void = () => undefined;
  const client = await connect(example.url, {
    headers: { authorization: `Bearer token-of-${name}` },
    answer: {
      url: ({ url }) => {
        opened(url);
        return { action: "accept" };
      },
    },
  });
  clients.push(client);
  return new Promise((resolve, reject) => {
    opened = (link) => resolve({ link, result });
    const result = client.callTool({ name: "today" }).then(({ content }) => content);
    result.catch(reject); // without a link; after it, whoever awaits the result hears
  });
}

/** Opens a link in a browser session of one's own, and logs in. */
async function openAs(name: string, link: string): Promise<{ page: Page; status: number }> {
  if (browser === undefined) throw new Error(NO_CHROMIUM);
  const page = await (await browser.newContext()).newPage();
  await page.goto(link);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(`${name}'s password`);
  const shown = page.waitForResponse(
    (response) => response.url() === link && response.status() !== 303,
  );
  await page.getByRole("button", { name: "Log in" }).click();
  const status = (await shown).status();
  await page.waitForLoadState();
  return { page, status };
}

it("refuses Ann's link to Bob, and goes on once Ann has connected", async (test) => {
  if (browser === undefined) return test.skip(NO_CHROMIUM);
  const { link, result } = await callAs("ann");
  let ended = false;
  const end = (): void => void (ended = true);
  result.then(end, end);

  const bob = await openAs("bob", link);
  expect(bob.status).toBe(403);
  expect(await bob.page.locator("body").innerText()).toContain("This link was not made for you.");
  expect(await bob.page.locator("button").count()).toBe(0);

  // Bob sends the form that he was not shown.
  const ticket = new URL(link).searchParams.get("ticket") ?? "";
  const { origin } = new URL(link);
  const forged = await bob.page.request.post(`${origin}/connect`, { form: { ticket } });
  expect(forged.status()).toBe(403);
  expect(ended).toBe(false);

  const ann = await openAs("ann", link);
  expect(ann.status).toBe(200);
  expect(await ann.page.locator("body").innerText()).toContain("You are logged in as ann.");
  expect(ended).toBe(false);
  await ann.page.getByRole("button", { name: "Connect" }).click();
  await ann.page.getByRole("heading", { name: "Connected" }).waitFor();

  expect(await result).toEqual([{ type: "text", text: "ann: lunch at noon" }]);
  const { link: bobs } = await callAs("bob"); // asked as well: nothing was connected for him
  expect(bobs).not.toBe(link);
}, 60_000);

it("lets nobody in without a token, nobody on without a session, and no markup through", async () => {
  await expect(connect(example.url)).rejects.toMatchObject({ code: "unauthorized" });

  const { link } = await callAs("bob");
  const { origin, searchParams } = new URL(link);
  const body = new URLSearchParams({ ticket: searchParams.get("ticket") ?? "" });
  const anonymous = await fetch(`${origin}/connect`, { method: "POST", body });
  expect(anonymous.status).toBe(403);

  const away = await fetch(`${origin}/connect?ticket=${encodeURIComponent('"><script>')}`);
  const shown = await away.text();
  expect(shown).toContain("&quot;&gt;&lt;script&gt;");
  expect(shown).not.toContain("<script>");
});
