import {
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { refused } from "../api/refusal-error.ts";

/** `makePasskey` creates a passkey in the browser. `options` come from the server, which verifies the result. */
export function makePasskey(options: unknown): Promise<object> {
  return orRefused(startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }));
}

export function answerWithPasskey(options: unknown): Promise<object> {
  return orRefused(startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON }));
}

/**
 * Browsers report one error for a cancelled request, a timeout and a missing passkey. Only a device that already
 * holds a passkey of this person has a separate error.
 */
async function orRefused(answered: Promise<object>): Promise<object> {
  try {
    return await answered;
  } catch (cause) {
    const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
    throw refused(name === "InvalidStateError" ? "PASSKEY_HELD" : "NO_PASSKEY", message);
  }
}
