import { results, type ResultMeaning } from "../core/result.ts";

const permanentFailure = (message: string, advice: string): ResultMeaning => ({
  status: "F",
  message,
  advice,
});
const newTokenAdvice = "Request a new token from accounts, and try again.";

/** Results of the console API, in addition to those of the merchants' API. Merchants' systems never receive them. */
const consoleOnlyResults = {
  ORIGIN_NOT_ALLOWED: permanentFailure(
    "Pages of this origin may not send requests here.",
    "Add the origin of the portal to TOLLGATE_CONSOLE_ORIGINS, that of the operator console to TOLLGATE_STAFF_ORIGINS.",
  ),
  TOKEN_INVALID: permanentFailure("The token is invalid or expired.", newTokenAdvice),
  TOKEN_USED: permanentFailure("This token was already used for an act.", newTokenAdvice),
  RIGHT_MISSING: permanentFailure(
    "Your role does not have this permission here.",
    "Ask an owner or admin to do it.",
  ),
  STEP_UP_REQUIRED: permanentFailure(
    "Re-authentication is required.",
    "Sign in again for this act (re-authentication).",
  ),
  NOT_POSSIBLE: permanentFailure(
    "The action is not possible.",
    "Read the current state of the record, and choose an action that is possible.",
  ),
  APPROVAL_NEEDED: permanentFailure(
    "This needs another person's approval here.",
    "Ask another person with the same permission to confirm it, then do it.",
  ),
  VIEW_TOO_SLOW: permanentFailure(
    "The query took too long.",
    "Choose a shorter time, or remove a filter that matches few rows.",
  ),
} as const satisfies Readonly<Record<string, ResultMeaning>>;

/** All results of the console, in the shape of the API's results. */
export const consoleResults = { ...results, ...consoleOnlyResults };

export type ConsoleCode = keyof typeof consoleResults;

/** Result codes that every view or act can return, so they are not declared separately. */
export const consoleValidationCodes = [
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

/** A rejection by the console, which is a returned value and never thrown. */
export interface ConsoleRefusal {
  readonly refused: ConsoleCode;
  readonly detail?: string;
  /** Advice that is more specific than the advice of the code. */
  readonly hint?: string;
  readonly field?: string;
  readonly retryAfterSeconds?: number;
}

export function consoleRefusal(refused: ConsoleCode, detail?: string): ConsoleRefusal {
  return { refused, ...(detail !== undefined && { detail }) };
}
