import { isTexts } from "../protocol/json.js";

/** How the flows of one tool, prompt or resource are bounded. All times in ms. */
export interface FlowSettings {
  /** How long one state lives. Default 10 minutes. */
  readonly life: number;
  /** How long a whole flow may take, however often its state is renewed. Default 1 hour. */
  readonly deadline: number;
  /** How often one question may be put. Default 10. */
  readonly repeats: number;
  /**
   * Whether a state is spent once. Default true. Where it is not, each answer to a state goes its
   * own way, and effects that another way has begun are `effect_conflict`.
   */
  readonly singleUse: boolean;
  /**
   * Which members of `arguments` a state is bound to. Default: all of the request's parameters.
   */
  readonly salient: readonly string[] | undefined;
}

/** What applies where a tool says nothing. */
export const DEFAULT_SETTINGS: FlowSettings = {
  life: 10 * 60_000,
  deadline: 60 * 60_000,
  repeats: 10,
  singleUse: true,
  salient: undefined,
};

const LONGEST = 90 * 24 * 60 * 60_000;

/** Fills in what was not given. Throws RangeError or TypeError for what makes no sense. */
export function flowSettings(
  given: Partial<FlowSettings> = {},
  base: FlowSettings = DEFAULT_SETTINGS,
): FlowSettings {
  const settings = { ...base };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) Object.assign(settings, { [name]: value });
  }
  for (const name of ["life", "deadline"] as const) {
    const value = settings[name];
    if (!(value >= 1000 && value <= LONGEST)) {
      throw new RangeError(
        `${name} is a time in ms, from 1 second to 90 days; got ${String(value)}`,
      );
    }
  }
  if (!(Number.isSafeInteger(settings.repeats) && settings.repeats >= 1)) {
    throw new RangeError(`repeats is a whole number from 1 on; got ${String(settings.repeats)}`);
  }
  const { salient } = settings as { salient: unknown };
  // A text would be taken letter by letter, and bind a state to nothing.
  if (salient !== undefined && !isTexts(salient)) {
    throw new TypeError("salient is a list of names of arguments");
  }
  return settings;
}
