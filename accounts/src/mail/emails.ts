/** An email in plain text, so that its look cannot be faked. */
export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** `linkTo` returns a link with the token after the `#`. Browsers do not send this part, so it is in no log and no referrer. */
export function linkTo(publicUrl: string, page: string, token: string): string {
  return `${publicUrl}/${page}#${token}`;
}

/** `quoted` puts a name in quotation marks, to separate text that a person chose from ours. Subjects contain no names. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', "'")}"`;
}

export function verifyLetter(publicUrl: string, to: string, token: string): Letter {
  return {
    to,
    subject: "Confirm your email address for Tollgate",
    text: [
      "A person, probably you, registered at Tollgate with this address. Open this link to continue:",
      linkTo(publicUrl, "verify", token),
      "The link works once and expires after 24 hours. If you did not register, do nothing: no account is created without the link.",
    ].join("\n\n"),
  };
}

export function knownAddressLetter(publicUrl: string, to: string): Letter {
  return {
    to,
    subject: "You already have a Tollgate account",
    text: [
      "A person, probably you, registered with this address, which already has an account. Sign in here:",
      `${publicUrl}/sign-in`,
      `If you have lost your passkey or password, two admins of your organisation can vouch for you: ${publicUrl}/recover`,
      "If you did not register, do nothing: your account has not changed.",
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
    subject: "Invitation to an organisation at Tollgate",
    text: [
      `${quoted(inviter)} invites you to join ${quoted(organisation)} at Tollgate with the role ${role}. Open this link to accept:`,
      linkTo(publicUrl, "invitation", token),
      "The link works once and expires after 7 days. If you do not know the sender, do nothing.",
    ].join("\n\n"),
  };
}
