/** An email in plain text, so that its look cannot be faked. */
export interface EmailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** `tokenLink` returns a link with the token after the `#`. Browsers do not send this part, so it is in no log and no referrer. */
export function tokenLink(publicUrl: string, page: string, token: string): string {
  return `${publicUrl}/${page}#${token}`;
}

/** `quoteName` puts a name in quotation marks, to separate text that a person chose from ours. Subjects contain no names. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', "'")}"`;
}

export function verificationEmail(publicUrl: string, to: string, token: string): EmailMessage {
  return {
    to,
    subject: "Confirm your email address for Tollgate",
    text: [
      "A person, probably you, registered at Tollgate with this address. Open this link to continue:",
      tokenLink(publicUrl, "verify", token),
      "The link works once and expires after 24 hours. If you did not register, do nothing: no account is created without the link.",
    ].join("\n\n"),
  };
}

export function existingAccountEmail(publicUrl: string, to: string): EmailMessage {
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

export interface ApprovalRequest {
  readonly to: string;
  readonly requester: string;
  readonly organisation: string;
  readonly act: string;
  readonly reason: string;
}

export function approvalRequestEmail(
  publicUrl: string,
  { to, requester, organisation, act, reason }: ApprovalRequest,
): EmailMessage {
  return {
    to,
    subject: "Approval requested at Tollgate",
    text: [
      `${quoteName(requester)} of ${quoteName(organisation)} requests your approval of: ${act}.`,
      `Their reason: ${quoteName(reason)}`,
      `Check the request before you approve it, within 24 hours: ${publicUrl}/approvals`,
    ].join("\n\n"),
  };
}

export interface InvitationDetails {
  readonly to: string;
  readonly token: string;
  readonly organisation: string;
  readonly inviter: string;
  readonly role: string;
}

export function invitationEmail(
  publicUrl: string,
  { to, token, organisation, inviter, role }: InvitationDetails,
): EmailMessage {
  return {
    to,
    subject: "Invitation to an organisation at Tollgate",
    text: [
      `${quoteName(inviter)} invites you to join ${quoteName(organisation)} at Tollgate with the role ${role}. Open this link to accept:`,
      tokenLink(publicUrl, "invitation", token),
      "The link works once and expires after 7 days. If you do not know the sender, do nothing.",
    ].join("\n\n"),
  };
}
