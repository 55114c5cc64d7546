import { quoted, type Letter } from "./letters.ts";

/** About whose review a letter is. */
interface About {
  readonly to: string;
  readonly organisation: string;
}

export function submittedLetter(publicUrl: string, { to, organisation }: About): Letter {
  return {
    to,
    subject: "Your organisation has asked to go live",
    text: [
      `We have what ${quoted(organisation)} sent, and review it now. You get another email once it is decided.`,
      `Until then you can follow it, or take it back: ${publicUrl}/live`,
      "If nobody of you has asked for it, take it back, and look at who works for your organisation.",
    ].join("\n\n"),
  };
}

/** For the provider's own people. */
export function waitingLetter(publicUrl: string, { to, organisation }: About): Letter {
  return {
    to,
    subject: "A merchant waits for a review",
    text: [`${quoted(organisation)} has asked to go live. Look at what they sent:`, publicUrl].join("\n\n"),
  };
}

export function approvedLetter(publicUrl: string, { to, organisation }: About): Letter {
  return {
    to,
    subject: "Your organisation may go live",
    text: [
      `Live is open to ${quoted(organisation)}. An owner or an admin opens its client id now, with a passkey:`,
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
    subject: "Your organisation cannot go live yet",
    text: [
      `We reviewed what ${quoted(organisation)} sent, and cannot open live yet:`,
      reason,
      `Everything is kept. Change what is needed, and submit it again: ${publicUrl}/live`,
    ].join("\n\n"),
  };
}
