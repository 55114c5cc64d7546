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

/**
 * Browsers do not say why there was no passkey: given up, timed out and none there are one error. Only a device
 * that holds one of this person's already is told apart.
 */
async function orRefused(answered: Promise<object>): Promise<object> {
  try {
    return await answered;
  } catch (cause) {
    const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
    throw refused(name === "InvalidStateError" ? "PASSKEY_HELD" : "NO_PASSKEY", message);
  }
}
