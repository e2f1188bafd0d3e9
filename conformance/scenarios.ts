/** The revision whose requirements the referee holds us to. */
export const REVISION = "2026-07-28";

/** The scenarios that must pass. One table: the runner, its test and the docs read it from here. */
export const SCENARIOS = {
  server: [
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-missing-input-response",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-unsupported-methods",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
  ],
  client: ["sep-2322-client-request-state"],
} as const satisfies Record<Leg, readonly string[]>;

/** Which side the referee plays against: our server, or our client. */
export type Leg = "server" | "client";
