/**
 * A test kit for tools that ask: every round on a fresh instance, requests repeated, replies lost,
 * workers stopped, time moved; and the mistakes of handlers shown with their line. For any runner.
 */
export { accept, cancel, decline } from "../testing/answers.js";
export { POINTS, conditions } from "../testing/conditions.js";
export type { Condition, StoppingPoint } from "../testing/conditions.js";
export type { Finding } from "../testing/findings.js";
export type { MakeServer } from "../testing/fleet.js";
export { rehearse } from "../testing/rehearsal.js";
export type { Rehearsal, Script } from "../testing/rehearsal.js";
export type { Principal } from "../state/principal.js";
export { storeContract } from "../store/contract.js";
export type { StoreBench, StoreCase } from "../store/contract.js";
