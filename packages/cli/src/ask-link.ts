import type { About, ElicitRequestURLParams, ElicitResult } from "mcp-parley/client";
import { WITHOUT_ANSWER, introduce } from "./asked.js";
import { openInBrowser } from "./browser.js";
import { type Dialog, LEFT } from "./dialog.js";
import { factsOfLink } from "./link-facts.js";

/**
 * Asks a person whether a page may be opened, having shown the whole of its address. Nothing is
 * fetched, and nothing is opened without a yes.
 */
export async function askLink(
  question: ElicitRequestURLParams,
  about: About,
  dialog: Dialog,
  mayOpen: boolean,
): Promise<ElicitResult> {
  const { paint } = dialog;
  await introduce("asks you to open a page", question.message, about, dialog);
  const { href, shown, warnings } = factsOfLink(question.url);
  const [before, host, after] = shown;
  dialog.space();
  dialog.say(`${before}${paint(["bold", "cyan"], host)}${after}`);
  if (warnings.length > 0) dialog.space();
  for (const warning of warnings) dialog.warn(warning);

  const options = [
    ...(href !== undefined && mayOpen
      ? [{ value: "open", label: "Open it in the browser" } as const]
      : []),
    ...(href === undefined ? [] : [{ value: "accept", label: "I open it myself" } as const]),
    ...WITHOUT_ANSWER,
  ];
  // Where there is reason to be careful, a hasty Enter must not be a yes.
  const initial = warnings.length > 0 ? "decline" : options[0]?.value;
  const chosen = await dialog.choose("Open this page?", options, initial, about.signal);
  if (chosen === LEFT || chosen === "cancel" || chosen === "decline") {
    dialog.close(paint("dim", chosen === "decline" ? "Declined." : "Cancelled."));
    return { action: chosen === "decline" ? "decline" : "cancel" };
  }
  if (chosen === "open" && href !== undefined && !(await openInBrowser(href))) {
    dialog.warn("The browser could not be started: open the address above yourself.");
  }
  dialog.close(paint("dim", "Go on in the browser; the server waits for you there."));
  return { action: "accept" };
}
