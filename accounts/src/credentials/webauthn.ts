import { randomBytes } from "node:crypto";
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  type RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { Person } from "../people/person.ts";
import type { NewPasskey, Passkey } from "./passkey.sql.ts";

/** A page of ours, as an authenticator knows it: a passkey answers no other host (phishing). */
interface Party {
  readonly publicUrl: string;
}

const challengeBytes = 32;

/** EdDSA, ES256 and RS256, which all authenticators have one of. Unsaid, the library asks Node for experimental ones. */
const algorithms = [-8, -7, -257];

/** The options for a browser's `navigator.credentials.create`; their challenge is to be remembered. */
export async function creationOptions(
  { publicUrl }: Party,
  { personId, email, name }: Person,
  existing: readonly Passkey[],
): ReturnType<typeof generateRegistrationOptions> {
  return generateRegistrationOptions({
    rpName: "Tollgate",
    rpID: new URL(publicUrl).hostname,
    userID: new TextEncoder().encode(personId),
    userName: email,
    userDisplayName: name,
    challenge: new Uint8Array(randomBytes(challengeBytes)),
    attestationType: "none",
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: existing.map(descriptorOf),
    // Discoverable: a person signs in without typing an address. Verified: a finger or a PIN, so it is two factors.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** The options for `navigator.credentials.get`; without passkeys the browser offers those that it has. */
export async function requestOptions(
  { publicUrl }: Party,
  passkeys: readonly Passkey[],
): ReturnType<typeof generateAuthenticationOptions> {
  return generateAuthenticationOptions({
    rpID: new URL(publicUrl).hostname,
    challenge: new Uint8Array(randomBytes(challengeBytes)),
    allowCredentials: passkeys.map(descriptorOf),
    userVerification: "required",
  });
}

/** The challenge that a browser says it answers. It counts for nothing before the signature is verified. */
export function challengeIn(response: unknown): string | undefined {
  const clientData = (response as { response?: { clientDataJSON?: unknown } } | null)?.response
    ?.clientDataJSON;
  if (typeof clientData !== "string") return undefined;
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, "base64url").toString("utf8")) as {
      readonly challenge?: unknown;
    };
    return typeof challenge === "string" ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** A new passkey, or undefined when the browser's answer does not hold. */
export async function readCreation(
  { publicUrl }: Party,
  response: unknown,
  challenge: string,
): Promise<Pick<NewPasskey, "credentialId" | "publicKey" | "counter" | "transports"> | undefined> {
  const { origin, hostname } = new URL(publicUrl);
  const read = await orUndefined(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (!read?.verified || !read.registrationInfo) return undefined;
  const { id, publicKey, counter, transports = [] } = read.registrationInfo.credential;
  return { credentialId: id, publicKey, counter, transports };
}

/** The passkey's new counter, or undefined when its signature does not hold. */
export async function readAssertion(
  { publicUrl }: Party,
  response: unknown,
  { challenge, passkey }: { readonly challenge: string; readonly passkey: Passkey },
): Promise<number | undefined> {
  const { origin, hostname } = new URL(publicUrl);
  const read = await orUndefined(() =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    }),
  );
  return read?.verified ? read.authenticationInfo.newCounter : undefined;
}

/** The library throws at whatever does not fit, and calls nobody: every error of it is a refusal. */
async function orUndefined<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

function descriptorOf({ credentialId, transports }: Passkey): {
  id: string;
  transports: AuthenticatorTransport[];
} {
  return { id: credentialId, transports: transports as AuthenticatorTransport[] };
}
