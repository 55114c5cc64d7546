import { linkTo, type Letter } from "./letters.ts";

interface Begun {
  readonly to: readonly string[];
  /** The person who comes back. */
  readonly name: string;
  readonly email: string;
  /** The words for whoever vouches. */
  readonly by: string;
  readonly readyAt: Date | undefined;
  /** The token of the link that stops it. */
  readonly token: string;
}

/** To the person itself, and to everybody who can tell whether it is right. */
export function recoveryLetters(publicUrl: string, begun: Begun): readonly Letter[] {
  const { to, name, email, by, readyAt, token } = begun;
  return to.map((address) => ({
    to: address,
    subject: `${name} is to get a new way to sign in at Tollgate`,
    text: [
      `${by} says that ${name} (${email}) has lost the way to sign in, and vouches for them.`,
      readyAt
        ? `From ${readyAt.toISOString().slice(0, 16).replace("T", " ")} UTC on, ${name} can set up a new one, and all former ones end.`
        : `Once a second person of the organisation vouches as well, ${name} can set up a new one, and all former ones end.`,
      "If this is right, do nothing. If it is not, or if you are not sure, stop it here; anybody who got this letter can:",
      linkTo(publicUrl, "stop-recovery", token),
    ].join("\n\n"),
  }));
}

interface Told {
  readonly to: readonly string[];
  readonly name: string;
}

export function recoveredLetters({ to, name }: Told): readonly Letter[] {
  return to.map((address) => ({
    to: address,
    subject: `${name} has a new way to sign in at Tollgate`,
    text: [
      `${name} has set up a new way to sign in. All former passkeys and passwords have ended, and so have all sessions.`,
      "If this was not right, remove the person from your organisation, and tell your provider.",
    ].join("\n\n"),
  }));
}

export function stoppedLetters({ to, name }: Told): readonly Letter[] {
  return to.map((address) => ({
    to: address,
    subject: `${name} does not get a new way to sign in`,
    text: "Somebody who was told of it has stopped it. Nothing has changed. If it was right after all, begin again.",
  }));
}
