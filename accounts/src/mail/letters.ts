/** A letter: plain text, because nobody has to trust what it looks like. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The token stands behind the #, which browsers send to nobody: it is in no log and in no referrer. */
export function linkTo(publicUrl: string, page: string, token: string): string {
  return `${publicUrl}/${page}#${token}`;
}

/** `quoted` puts a name that a person has chosen in quotation marks: a reader sees where our words end. Subjects have no names. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', "'")}"`;
}

export function verifyLetter(publicUrl: string, to: string, token: string): Letter {
  return {
    to,
    subject: "Confirm your address for Tollgate",
    text: [
      "Somebody, probably you, registered with this address. Open this link to go on:",
      linkTo(publicUrl, "verify", token),
      "It works once, within 24 hours. If it was not you, do nothing: without the link nothing comes of it.",
    ].join("\n\n"),
  };
}

export function knownAddressLetter(publicUrl: string, to: string): Letter {
  return {
    to,
    subject: "You have an account at Tollgate already",
    text: [
      "Somebody, probably you, registered with this address, which has an account already. Sign in here:",
      `${publicUrl}/sign-in`,
      `If you have lost what you sign in with, two admins of your organisation can vouch for you: ${publicUrl}/recover`,
      "If it was not you, do nothing: nothing has changed.",
    ].join("\n\n"),
  };
}

export interface ApprovalLetter {
  readonly to: string;
  readonly asker: string;
  readonly organisation: string;
  readonly act: string;
  readonly reason: string;
}

export function approvalLetter(
  publicUrl: string,
  { to, asker, organisation, act, reason }: ApprovalLetter,
): Letter {
  return {
    to,
    subject: "Approval requested at Tollgate",
    text: [
      `${quoted(asker)} of ${quoted(organisation)} requests your approval of: ${act}.`,
      `Their reason: ${quoted(reason)}`,
      `Check the request before you approve it, within 24 hours: ${publicUrl}/approvals`,
    ].join("\n\n"),
  };
}

export interface InvitationLetter {
  readonly to: string;
  readonly token: string;
  readonly organisation: string;
  readonly inviter: string;
  readonly role: string;
}

export function invitationLetter(
  publicUrl: string,
  { to, token, organisation, inviter, role }: InvitationLetter,
): Letter {
  return {
    to,
    subject: "You are invited to an organisation at Tollgate",
    text: [
      `${quoted(inviter)} invites you to work for ${quoted(organisation)} at Tollgate, in the role ${role}. Open this link to accept:`,
      linkTo(publicUrl, "invitation", token),
      "It works once, within 7 days. If you do not know them, do nothing.",
    ].join("\n\n"),
  };
}
