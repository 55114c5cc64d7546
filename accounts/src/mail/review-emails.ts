import { quoteName, type EmailMessage } from "./email-templates.ts";

/** The recipient, and the organisation under review. */
interface ReviewRecipient {
  readonly to: string;
  readonly organisation: string;
}

export function reviewSubmittedEmail(publicUrl: string, { to, organisation }: ReviewRecipient): EmailMessage {
  return {
    to,
    subject: "Your organisation has requested to go live",
    text: [
      `We have received the request of ${quoteName(organisation)} to go live and review it now. You get an email with the decision.`,
      `View or withdraw the request: ${publicUrl}/live`,
      "If your organisation did not request this, withdraw the request and check the members of your organisation.",
    ].join("\n\n"),
  };
}

/** `reviewPendingEmail` notifies staff of a new review. */
export function reviewPendingEmail(publicUrl: string, { to, organisation }: ReviewRecipient): EmailMessage {
  return {
    to,
    subject: "A merchant requests a review",
    text: [
      `${quoteName(organisation)} has requested to go live. Review the business details and documents:`,
      publicUrl,
    ].join("\n\n"),
  };
}

export function reviewApprovedEmail(publicUrl: string, { to, organisation }: ReviewRecipient): EmailMessage {
  return {
    to,
    subject: "Your organisation can go live",
    text: [
      `Live is available to ${quoteName(organisation)}. An owner or an admin can now create its client id, with a passkey:`,
      `${publicUrl}/live`,
    ].join("\n\n"),
  };
}

export function reviewRefusedEmail(
  publicUrl: string,
  { to, organisation, reason }: ReviewRecipient & { readonly reason: string },
): EmailMessage {
  return {
    to,
    subject: "Your organisation cannot go live yet",
    text: [
      `We reviewed the request of ${quoteName(organisation)} and cannot approve it yet:`,
      reason,
      `Your data is still saved. Correct it, and submit it again: ${publicUrl}/live`,
    ].join("\n\n"),
  };
}
