import { quoted, type Letter } from "./emails.ts";

/** The recipient, and the organisation under review. */
interface About {
  readonly to: string;
  readonly organisation: string;
}

export function submittedLetter(publicUrl: string, { to, organisation }: About): Letter {
  return {
    to,
    subject: "Your organisation has requested to go live",
    text: [
      `We have received the request of ${quoted(organisation)} to go live and review it now. You get an email with the decision.`,
      `View or withdraw the request: ${publicUrl}/live`,
      "If your organisation did not request this, withdraw the request and check the members of your organisation.",
    ].join("\n\n"),
  };
}

/** `waitingLetter` notifies staff of a new review. */
export function waitingLetter(publicUrl: string, { to, organisation }: About): Letter {
  return {
    to,
    subject: "A merchant requests a review",
    text: [
      `${quoted(organisation)} has requested to go live. Review the business details and documents:`,
      publicUrl,
    ].join("\n\n"),
  };
}

export function approvedLetter(publicUrl: string, { to, organisation }: About): Letter {
  return {
    to,
    subject: "Your organisation can go live",
    text: [
      `Live is available to ${quoted(organisation)}. An owner or an admin can now create its client id, with a passkey:`,
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
      `We reviewed the request of ${quoted(organisation)} and cannot approve it yet:`,
      reason,
      `Your data is still saved. Correct it, and submit it again: ${publicUrl}/live`,
    ].join("\n\n"),
  };
}
