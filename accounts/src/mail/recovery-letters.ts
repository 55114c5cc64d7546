import { linkTo, quoted, type Letter } from "./letters.ts";

interface Begun {
  readonly to: readonly string[];
  /** The person whose account is recovered. */
  readonly name: string;
  readonly email: string;
  /** The words for the person who vouches; names in it are quoted. */
  readonly by: string;
  /** Whose people have to vouch as well; undefined when the command line started it. */
  readonly second: "organisation" | "provider" | undefined;
  /** The earliest time; undefined when it is that of the second vouch. */
  readonly readyAt: Date | undefined;
  /** The token of the link that stops it. */
  readonly token: string;
}

/** Notices for the person, and for all who can tell whether the recovery is right. They hold no code. */
export function recoveryLetters(publicUrl: string, begun: Begun): readonly Letter[] {
  const { to, name, email, by, second, readyAt, token } = begun;
  const condition = second ? `If a second person of your ${second} vouches as well` : "If you do not stop it";
  const from = readyAt ? ` from ${minuteOf(readyAt)} on` : "";
  return to.map((address) => ({
    to: address,
    subject: "Account recovery requested at Tollgate",
    text: [
      `${by} says that ${quoted(name)} (${email}) has lost the way to sign in, and vouches for them.`,
      `${condition}, ${quoted(name)} can set up a new one${from}, with a code that we send to ${email}. All former passkeys and passwords end then.`,
      "If this is right, do nothing. If it is not, or if you are not sure, stop it here; anybody who got this email can:",
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

/** The code, for the person alone. */
export function recoveryCodeLetter(publicUrl: string, { to, code, readyAt, expiresAt }: CodeLetter): Letter {
  return {
    to,
    subject: "Your code for a new way to sign in at Tollgate",
    text: [
      "You can set up a new passkey or password with this code. Nobody else has it: do not tell it to anybody.",
      code,
      `Enter it at ${publicUrl}/recover from ${minuteOf(readyAt)} until ${minuteOf(expiresAt)}.`,
      "If you did not ask for this, stop it with the link in the email that we sent you before.",
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
      `${quoted(name)} has set up a new way to sign in. All former passkeys and passwords have ended, and so have all sessions.`,
      "If this was not right, remove the person from your organisation, and tell your provider.",
    ].join("\n\n"),
  }));
}

export function stoppedLetters({ to, name }: Told): readonly Letter[] {
  return to.map((address) => ({
    to: address,
    subject: "Account recovery stopped at Tollgate",
    text: `A person who got the notice has stopped the account recovery of ${quoted(name)}. Nothing has changed. If the recovery was right, start it again.`,
  }));
}
