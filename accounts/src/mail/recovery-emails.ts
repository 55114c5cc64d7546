import { tokenLink, quoteName, type EmailMessage } from "./email-templates.ts";

interface RecoveryNotice {
  readonly to: readonly string[];
  /** The person whose account is recovered. */
  readonly name: string;
  readonly email: string;
  /** The person who vouches, as text with quoted names. */
  readonly vouchedBy: string;
  /** The side of which another person must also vouch; undefined if the command line started the recovery. */
  readonly secondVoucher: "organisation" | "provider" | undefined;
  /** The earliest time at which the code is valid; undefined if it is valid from the second vouch. */
  readonly readyAt: Date | undefined;
  /** The token of the link that stops the recovery. */
  readonly token: string;
}

/** The two sides that can vouch, as in the text of the notices. */
const sides = { organisation: "your organisation", provider: "the gateway operator" } as const;

/** `recoveryNotices` returns the notices for the person and for all people who can stop the recovery. They contain no code. */
export function recoveryNotices(publicUrl: string, notice: RecoveryNotice): readonly EmailMessage[] {
  const { to, name, email, vouchedBy, secondVoucher, readyAt, token } = notice;
  const condition = secondVoucher
    ? `If another person of ${sides[secondVoucher]} also vouches`
    : "If you do not stop the recovery";
  const from = readyAt ? ` from ${minuteOf(readyAt)}` : "";
  return to.map((address) => ({
    to: address,
    subject: "Account recovery requested at Tollgate",
    text: [
      `${vouchedBy} says that ${quoteName(name)} (${email}) cannot sign in any more, and vouches for this person.`,
      `${condition}, ${quoteName(name)} can set up a new sign-in method${from}, with a code that we send to ${email}. All previous passkeys and passwords are then removed.`,
      "If this is correct, do nothing. If it is wrong, or if you are not sure, stop the recovery with this link:",
      tokenLink(publicUrl, "stop-recovery", token),
    ].join("\n\n"),
  }));
}

interface RecoveryCode {
  readonly to: string;
  readonly code: string;
  readonly readyAt: Date;
  readonly expiresAt: Date;
}

/** `recoveryCodeEmail` returns the email with the code, which only the person gets. */
export function recoveryCodeEmail(
  publicUrl: string,
  { to, code, readyAt, expiresAt }: RecoveryCode,
): EmailMessage {
  return {
    to,
    subject: "Your account recovery code for Tollgate",
    text: [
      "You can set up a new passkey or password with this code. Do not share it; only you have received it.",
      code,
      `Enter it at ${publicUrl}/recover from ${minuteOf(readyAt)} until ${minuteOf(expiresAt)}.`,
      "If you did not request this, stop the recovery with the link in our previous email.",
    ].join("\n\n"),
  };
}

function minuteOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

interface NoticeRecipients {
  readonly to: readonly string[];
  readonly name: string;
}

export function recoveryCompletedEmails({ to, name }: NoticeRecipients): readonly EmailMessage[] {
  return to.map((address) => ({
    to: address,
    subject: "Account recovery completed at Tollgate",
    text: [
      `${quoteName(name)} has set up a new sign-in method. All previous passkeys, passwords and sessions are removed.`,
      "If this is wrong, remove the person from your organisation, and inform the gateway operator.",
    ].join("\n\n"),
  }));
}

export function recoveryStoppedEmails({ to, name }: NoticeRecipients): readonly EmailMessage[] {
  return to.map((address) => ({
    to: address,
    subject: "Account recovery stopped at Tollgate",
    text: `A person who got our notice has stopped the account recovery of ${quoteName(name)}. Nothing has changed. If the recovery was correct, start it again.`,
  }));
}
