import type { Letter } from "./letters.ts";

/** What changed, in a sentence. Texts that a caller chose, such as the name of a passkey, are not in it. */
const sentences = {
  "password.set": "The password and the authenticator app of your account were set.",
  "passkey.add": "A passkey was added to your account.",
  "passkey.remove": "A passkey of your account was removed.",
  "oidc.link": "Your account was linked to the identity provider, and can be signed in to by it.",
} as const;

export type CredentialChange = keyof typeof sentences;

interface Changed {
  readonly to: string;
  readonly change: CredentialChange;
  readonly at: Date;
  readonly network: string;
}

/** `credentialLetter` notifies a person of a change of the credentials: the person may not be the one who made it. */
export function credentialLetter(publicUrl: string, { to, change, at, network }: Changed): Letter {
  return {
    to,
    subject: "How you sign in to your account changed at Tollgate",
    text: [
      sentences[change],
      `This was done at ${at.toISOString().slice(0, 19).replace("T", " ")} UTC from the network ${network}.`,
      `If it was you, do nothing. If it was not you, tell an admin of your organisation and your provider now, end the sessions that you do not know at ${publicUrl}/security, and if you cannot sign in any more, recover your account: ${publicUrl}/recover`,
    ].join("\n\n"),
  };
}
