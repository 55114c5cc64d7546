import type { Letter } from "./letters.ts";

/** About whose review a letter is. */
interface About {
  readonly to: string;
  readonly organisation: string;
}

export function submittedLetter(publicUrl: string, { to, organisation }: About): Letter {
  return {
    to,
    subject: `${organisation} has asked to go live`,
    text: [
      `We have what ${organisation} sent, and look at it now. You get another letter once it is decided.`,
      `Until then you can follow it, or take it back: ${publicUrl}/live`,
      "If nobody of you has asked for it, take it back, and look at who works for your organisation.",
    ].join("\n\n"),
  };
}

/** For the provider's own people. */
export function waitingLetter(publicUrl: string, { to, organisation }: About): Letter {
  return {
    to,
    subject: `${organisation} waits for a review`,
    text: [`${organisation} has asked to go live. Look at what they sent:`, publicUrl].join("\n\n"),
  };
}

export function approvedLetter(publicUrl: string, { to, organisation }: About): Letter {
  return {
    to,
    subject: `${organisation} may go live`,
    text: [
      `Live is open to ${organisation}. An owner or an admin opens its client id now, with a passkey:`,
      `${publicUrl}/live`,
    ].join("\n\n"),
  };
}

export function refusedLetter(
  publicUrl: string,
  { to, organisation, reason }: About & { readonly reason: string },
): Letter {
  return {
    to,
    subject: `${organisation} cannot go live yet`,
    text: [
      `We looked at what ${organisation} sent, and cannot open live yet:`,
      reason,
      `Everything is kept. Change what is needed, and submit it again: ${publicUrl}/live`,
    ].join("\n\n"),
  };
}
