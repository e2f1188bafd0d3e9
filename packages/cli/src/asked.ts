import type { About, InputRequest } from "mcp-parley/client";
import type { Dialog } from "./dialog.js";
import { manyLines, oneLine } from "./plain.js";

/** The server as this command knows it, and what it calls itself, which proves nothing. */
export function serverInWords({ address, name }: About["server"]): string {
  const own = name === undefined ? "" : ` (calls itself "${oneLine(name, 60)}")`;
  return `${oneLine(address)}${own}`;
}

/** Begins a question in the dialog: who asks, on what occasion, and what. */
export async function introduce(
  what: "asks you something" | "asks you to open a page",
  message: string,
  about: About,
  dialog: Dialog,
): Promise<void> {
  const { paint } = dialog;
  await dialog.open(paint("bold", `${oneLine(about.name, 128)} ${what}`));
  dialog.say(paint("dim", `from ${serverInWords(about.server)}`));
  dialog.say(paint("dim", `question "${oneLine(about.key, 60)}", round ${about.round}`));
  dialog.space();
  dialog.say(manyLines(message));
}

/** Which kind of question it is, in a word. */
export function kindInWords({ method, params }: InputRequest): string {
  switch (method) {
    case "elicitation/create":
      return params.mode === "url" ? "link" : "form";
    case "sampling/createMessage":
      return "model";
    case "roots/list":
      return "roots";
  }
}

/** How every question may be ended without an answer. */
export const WITHOUT_ANSWER = [
  { value: "decline", label: "Decline", hint: "say no" },
  { value: "cancel", label: "Cancel", hint: "leave it unanswered" },
] as const;
