/** Why accounts say no: the HTTP status, and a sentence for people. Pages and tests go by the word. */
export const refusals = {
  INVALID_REQUEST: [400, "The request is not of the form that this address takes."],
  LINK_INVALID: [400, "This link was used before, or is too old. Ask for a new one."],
  CODE_WRONG: [400, "The code does not fit. Check the clock of your telephone, and take the next one."],
  PASSKEY_REFUSED: [400, "The passkey did not answer the question that was asked. Try again."],
  PASSWORD_WEAK: [400, "This password is too easy to guess."],
  NOT_SIGNED_IN: [401, "Sign in first."],
  RECOVERY_REFUSED: [401, "This code is wrong, not valid yet, or expired."],
  OIDC_REFUSED: [401, "The identity provider did not let you in, or nobody has invited you here."],
  SIGN_IN_FAILED: [401, "Address, password and code do not fit together."],
  SET_UP_FIRST: [403, "Set up a passkey, or a password with codes, first."],
  FOREIGN_ORIGIN: [403, "This was not asked by a page of ours."],
  NOT_ALLOWED: [403, "Your role does not allow this."],
  STEP_UP_NEEDED: [
    403,
    "Show once more that it is you: this needs it, and the last time is more than five minutes ago.",
  ],
  PASSKEY_NEEDED: [403, "Sign in with a passkey for this."],
  ORGANISATION_NEEDED: [403, "Choose the organisation for which you act first."],
  ANOTHER_PERSON_NEEDED: [403, "This takes another person than you."],
  SECOND_PERSON_NEEDED: [
    403,
    "This needs a second person. Ask somebody else with the same right to confirm it.",
  ],
  APPROVER_TOO_NEW: [
    403,
    "You joined, or your role changed, less than 24 hours ago or after this request. Another person has to approve it.",
  ],
  OTHER_PERSON: [403, "This invitation is for another address than the one you are signed in with."],
  LIVE_NOT_OPEN: [403, "Live is open to your organisation once it has been reviewed."],
  NOT_FOUND: [404, "There is no such thing here."],
  SIGN_IN_FIRST: [409, "You have an account already. Sign in, and open the link again."],
  RECOVERY_UNDER_WAY: [409, "A recovery of this account is open already."],
  RECOVERY_BY_STAFF_ADMINS: [
    409,
    "This person is staff. Two other staff-admins have to vouch, on the page of staff.",
  ],
  RECOVERY_BY_COMMAND: [
    409,
    "This needs two other staff-admins, and there are fewer. Run `staff recover` at the command line of accounts.",
  ],
  RECOVERY_BY_OPERATOR: [
    409,
    "This person works for other organisations as well, so your provider has to vouch.",
  ],
  LAST_OWNER: [
    409,
    "An organisation keeps at least one owner, and staff keep an admin. Give somebody else that role first.",
  ],
  LAST_CREDENTIAL: [409, "This is your only way to sign in. Add another one first."],
  REVIEW_INCOMPLETE: [409, "Something is missing yet; the page says what."],
  REVIEW_UNDER_WAY: [
    409,
    "This is being looked at, or was approved. Take it back first to change something.",
  ],
  REVIEW_CHANGED: [409, "This is not what waits for a decision now. Look at it again."],
  TOO_MANY: [409, "There is no room for another one."],
  TOO_LARGE: [413, "This is too large."],
  DOCUMENT_REFUSED: [415, "Send a PDF, a PNG or a JPEG of at most 4 MB."],
  UNSUPPORTED_MEDIA_TYPE: [415, "The body has to be JSON, with the content type application/json."],
  TRY_LATER: [429, "That was tried too often. Wait a quarter of an hour, or sign in with a passkey."],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

export type RefusalWord = keyof typeof refusals;

export interface Refusal {
  readonly refusal: RefusalWord;
  /** Instead of the word's own sentence. */
  readonly detail?: string;
}

export function refuse(refusal: RefusalWord, detail?: string): Refusal {
  return detail === undefined ? { refusal } : { refusal, detail };
}
