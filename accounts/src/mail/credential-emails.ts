import type { EmailMessage } from "./email-templates.ts";

/** The changed credential as a sentence, without texts that a caller chose, such as the name of a passkey. */
const sentences = {
  "password.set": "The password and the authenticator app of your account were set.",
  "passkey.add": "A passkey was added to your account.",
  "passkey.remove": "A passkey of your account was removed.",
  "oidc.link": "Your account was linked to the identity provider. You can now sign in with it.",
} as const;

export type CredentialChange = keyof typeof sentences;

interface CredentialChangeDetails {
  readonly to: string;
  readonly change: CredentialChange;
  readonly at: Date;
  readonly network: string;
}

/** `credentialChangeEmail` notifies a person of a change of credentials, in case an attacker made it. */
export function credentialChangeEmail(
  publicUrl: string,
  { to, change, at, network }: CredentialChangeDetails,
): EmailMessage {
  return {
    to,
    subject: "The sign-in methods of your Tollgate account changed",
    text: [
      sentences[change],
      `Time of the change: ${at.toISOString().slice(0, 19).replace("T", " ")} UTC. Network: ${network}.`,
      `If you made this change, do nothing. If not, inform an admin of your organisation and the gateway operator now. End the sessions that you do not know: ${publicUrl}/security. If you cannot sign in any more, recover your account: ${publicUrl}/recover`,
    ].join("\n\n"),
  };
}
