import { results, type ResultMeaning } from "../core/result.ts";

const no = (message: string, advice: string): ResultMeaning => ({ status: "F", message, advice });
const newToken = "Get a new token from accounts, and try again.";

/** Results of the console's own front door, beside those of the API. Merchants' systems never see them. */
const ownResults = {
  ORIGIN_NOT_ALLOWED: no(
    "Pages of this origin may not send requests here.",
    "Add the origin of the portal to TOLLGATE_CONSOLE_ORIGINS, that of the operator console to TOLLGATE_STAFF_ORIGINS.",
  ),
  TOKEN_INVALID: no("The token is not accepted.", newToken),
  TOKEN_USED: no("This token has been used for an act before.", newToken),
  RIGHT_MISSING: no("Your role does not have this right here.", "Ask an owner or admin to do it."),
  STEP_UP_REQUIRED: no("Prove that it is you, and try again.", "Sign in again for this act (step-up)."),
  NOT_POSSIBLE: no("This cannot be done.", "Look at the record as it is now, and try what fits it."),
  SECOND_PERSON_NEEDED: no(
    "This needs a second person here.",
    "Ask somebody else with the same right to confirm it, and do it then.",
  ),
  VIEW_TOO_SLOW: no("It took too long to find.", "Narrow the time, or drop a filter that fits few."),
} as const satisfies Readonly<Record<string, ResultMeaning>>;

/** Every result that the console can give, in the shape of the API's. */
export const consoleResults = { ...results, ...ownResults };

export type ConsoleCode = keyof typeof consoleResults;

/** Codes that any view or act can answer with, so none declares them. */
export const consoleDoorCodes = [
  "REQUEST_TRAFFIC_EXCEED_LIMIT",
  "NO_INTERFACE_DEF",
  "METHOD_NOT_SUPPORTED",
  "ORIGIN_NOT_ALLOWED",
  "MEDIA_TYPE_NOT_ACCEPTABLE",
  "TOKEN_INVALID",
  "RIGHT_MISSING",
  "STEP_UP_REQUIRED",
  "UNKNOWN_CLIENT",
  "PARAM_ILLEGAL",
  "UNKNOWN_EXCEPTION",
] as const satisfies readonly ConsoleCode[];

/** The console's "no". Returned, never thrown. */
export interface ConsoleRefusal {
  readonly refused: ConsoleCode;
  readonly detail?: string;
  /** What to do about it, if that is more exact than the advice of the code. */
  readonly hint?: string;
  readonly field?: string;
  readonly retryAfterSeconds?: number;
}

export function turnDown(refused: ConsoleCode, detail?: string): ConsoleRefusal {
  return { refused, ...(detail !== undefined && { detail }) };
}
