import {
  startAuthentication,
  startRegistration,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { createRefusal } from "../api/refusal-error.ts";

/** `createPasskey` creates a passkey in the browser. `options` come from the server, which verifies the result. */
export function createPasskey(options: unknown): Promise<object> {
  return throwAsRefusal(
    startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }),
  );
}

export function signWithPasskey(options: unknown): Promise<object> {
  return throwAsRefusal(
    startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON }),
  );
}

/**
 * Browsers report one error for a cancelled request, a timeout and a missing passkey. Only a device that already
 * holds a passkey of this person has a separate error.
 */
async function throwAsRefusal(pending: Promise<object>): Promise<object> {
  try {
    return await pending;
  } catch (cause) {
    const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
    throw createRefusal(name === "InvalidStateError" ? "PASSKEY_HELD" : "NO_PASSKEY", message);
  }
}
