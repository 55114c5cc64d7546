import { linkTo, quoted, type Letter } from "./emails.ts";

interface Begun {
  readonly to: readonly string[];
  /** The person whose account is recovered. */
  readonly name: string;
  readonly email: string;
  /** The person who vouches, as text with quoted names. */
  readonly by: string;
  /** The side of which another person must also vouch; undefined if the command line started the recovery. */
  readonly second: "organisation" | "provider" | undefined;
  /** The earliest time at which the code is valid; undefined if it is valid from the second vouch. */
  readonly readyAt: Date | undefined;
  /** The token of the link that stops the recovery. */
  readonly token: string;
}

/** The two sides that can vouch, as in the text of the notices. */
const sides = { organisation: "your organisation", provider: "the gateway operator" } as const;

/** `recoveryLetters` returns the notices for the person and for all people who can stop the recovery. They contain no code. */
export function recoveryLetters(publicUrl: string, begun: Begun): readonly Letter[] {
  const { to, name, email, by, second, readyAt, token } = begun;
  const condition = second
    ? `If another person of ${sides[second]} also vouches`
    : "If you do not stop the recovery";
  const from = readyAt ? ` from ${minuteOf(readyAt)}` : "";
  return to.map((address) => ({
    to: address,
    subject: "Account recovery requested at Tollgate",
    text: [
      `${by} says that ${quoted(name)} (${email}) cannot sign in any more, and vouches for this person.`,
      `${condition}, ${quoted(name)} can set up a new sign-in method${from}, with a code that we send to ${email}. All previous passkeys and passwords are then removed.`,
      "If this is correct, do nothing. If it is wrong, or if you are not sure, stop the recovery with this link:",
      linkTo(publicUrl, "stop-recovery", token),
    ].join("\n\n"),
  }));
}

interface CodeLetter {
  readonly to: string;
  readonly code: string;
  readonly readyAt: Date;
  readonly expiresAt: Date;
}

/** `recoveryCodeLetter` returns the email with the code, which only the person gets. */
export function recoveryCodeLetter(publicUrl: string, { to, code, readyAt, expiresAt }: CodeLetter): Letter {
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

interface Told {
  readonly to: readonly string[];
  readonly name: string;
}

export function recoveredLetters({ to, name }: Told): readonly Letter[] {
  return to.map((address) => ({
    to: address,
    subject: "Account recovery completed at Tollgate",
    text: [
      `${quoted(name)} has set up a new sign-in method. All previous passkeys, passwords and sessions are removed.`,
      "If this is wrong, remove the person from your organisation, and inform the gateway operator.",
    ].join("\n\n"),
  }));
}

export function stoppedLetters({ to, name }: Told): readonly Letter[] {
  return to.map((address) => ({
    to: address,
    subject: "Account recovery stopped at Tollgate",
    text: `A person who got our notice has stopped the account recovery of ${quoted(name)}. Nothing has changed. If the recovery was correct, start it again.`,
  }));
}
