import {
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { refused } from "../api/refused.ts";

/** Lets the browser make a passkey. `options` are the server's, and its library checks what comes of them. */
export function makePasskey(options: unknown): Promise<object> {
  return orRefused(startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }));
}

export function answerWithPasskey(options: unknown): Promise<object> {
  return orRefused(startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON }));
}

/** Browsers do not say why there was no passkey: given up, timed out and none there are one error. */
async function orRefused(answered: Promise<object>): Promise<object> {
  try {
    return await answered;
  } catch (cause) {
    throw refused("NO_PASSKEY", cause instanceof Error ? cause.message : String(cause));
  }
}
