/** All refusals of accounts: code, HTTP status and message for people. Pages and tests use the code. */
export const refusals = {
  INVALID_REQUEST: [400, "The request body does not match the schema of this endpoint."],
  LINK_INVALID: [400, "This link is already used or has expired. Request a new one."],
  CODE_WRONG: [400, "The code is wrong. Check the clock of your phone, and use the next code."],
  PASSKEY_REFUSED: [400, "The passkey could not be verified. Try again."],
  PASSWORD_WEAK: [400, "This password is too easy to guess."],
  NOT_SIGNED_IN: [401, "Sign in first."],
  RECOVERY_REFUSED: [401, "This code is wrong, not valid yet, or expired."],
  OIDC_REFUSED: [401, "The identity provider rejected the sign-in, or you have no invitation."],
  SIGN_IN_FAILED: [401, "Email address, password or code is wrong."],
  SET_UP_FIRST: [403, "Set up a passkey first, or a password with an authenticator app."],
  FOREIGN_ORIGIN: [403, "The request does not come from a page of this installation."],
  NOT_ALLOWED: [403, "Your role does not allow this."],
  STEP_UP_NEEDED: [
    403,
    "Confirm your identity again: this action requires a confirmation in the last five minutes.",
  ],
  PASSKEY_NEEDED: [403, "This action requires a sign-in with a passkey."],
  ORGANISATION_NEEDED: [403, "Choose an organisation first."],
  ANOTHER_PERSON_NEEDED: [403, "Another person must do this."],
  APPROVAL_NEEDED: [
    403,
    "This action requires approval. Request it from another person with the same permission.",
  ],
  APPROVER_TOO_NEW: [
    403,
    "You joined or your role changed less than 24 hours ago, or after this request. Another person must approve it.",
  ],
  OTHER_PERSON: [403, "This invitation was sent to another email address than yours."],
  LIVE_NOT_OPEN: [403, "Live is available after the review of your organisation."],
  NOT_FOUND: [404, "Not found."],
  SIGN_IN_FIRST: [409, "You already have an account. Sign in, and open the link again."],
  RECOVERY_UNDER_WAY: [409, "A recovery of this account is already in progress."],
  RECOVERY_BY_STAFF_ADMINS: [
    409,
    "This person is staff. Two other staff-admins must vouch, on the page Staff.",
  ],
  RECOVERY_BY_COMMAND: [
    409,
    "Account recovery needs two other staff-admins, and there are fewer. Run `staff recover` at the command line of accounts.",
  ],
  RECOVERY_BY_OPERATOR: [
    409,
    "This person is a member of several organisations, so staff of the gateway operator must vouch.",
  ],
  LAST_OWNER: [
    409,
    "An organisation needs at least one owner, and staff need at least one admin. Give another person this role first.",
  ],
  LAST_CREDENTIAL: [409, "This is your only sign-in method. Add another one first."],
  REVIEW_INCOMPLETE: [409, "Data is missing; the page lists the missing fields and documents."],
  REVIEW_UNDER_WAY: [
    409,
    "The review is in progress or approved. Withdraw the request before you change data.",
  ],
  REVIEW_CHANGED: [409, "The merchant has changed the request since you opened it. Review it again."],
  TOO_MANY: [409, "The maximum number is reached."],
  TOO_LARGE: [413, "The file is too large."],
  DOCUMENT_REFUSED: [415, "Send a PDF, a PNG or a JPEG of at most 4 MB."],
  UNSUPPORTED_MEDIA_TYPE: [415, "The body must be JSON with the content type application/json."],
  TRY_LATER: [429, "Too many attempts. Wait 15 minutes, or sign in with a passkey."],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

export type RefusalCode = keyof typeof refusals;

export interface Refusal {
  readonly refusal: RefusalCode;
  /** A message that replaces the default message of the refusal code. */
  readonly detail?: string;
}

export function refuse(refusal: RefusalCode, detail?: string): Refusal {
  return detail === undefined ? { refusal } : { refusal, detail };
}
