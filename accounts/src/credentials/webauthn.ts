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

/** The relying party: the host to which passkeys are bound (phishing protection). */
interface RelyingParty {
  readonly publicUrl: string;
}

const challengeBytes = 32;

/**
 * EdDSA, ES256 and RS256. Every authenticator supports at least one of them. Without this list, the library would use
 * experimental algorithms of Node.
 */
const algorithms = [-8, -7, -257];

/** `creationOptions` returns options for `navigator.credentials.create`. The caller stores their challenge. */
export async function creationOptions(
  { publicUrl }: RelyingParty,
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
    // Discoverable: the person signs in without typing an address. User verification (fingerprint or PIN) makes it
    // two factors.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/**
 * `requestOptions` returns options for `navigator.credentials.get`. Without a list of passkeys, the browser offers
 * all of its own.
 */
export async function requestOptions(
  { publicUrl }: RelyingParty,
  passkeys: readonly Passkey[],
): ReturnType<typeof generateAuthenticationOptions> {
  return generateAuthenticationOptions({
    rpID: new URL(publicUrl).hostname,
    challenge: new Uint8Array(randomBytes(challengeBytes)),
    allowCredentials: passkeys.map(descriptorOf),
    userVerification: "required",
  });
}

/** `challengeIn` returns the challenge in a browser's response. It is untrusted until the signature is verified. */
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

/** `verifyCreation` returns the new passkey, or undefined if the response is invalid. */
export async function verifyCreation(
  { publicUrl }: RelyingParty,
  response: unknown,
  challenge: string,
): Promise<Pick<NewPasskey, "credentialId" | "publicKey" | "counter" | "transports"> | undefined> {
  const { origin, hostname } = new URL(publicUrl);
  const verification = await undefinedIfThrown(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (!verification?.verified || !verification.registrationInfo) return undefined;
  const { id, publicKey, counter, transports = [] } = verification.registrationInfo.credential;
  return { credentialId: id, publicKey, counter, transports };
}

/** `verifyAssertion` returns the passkey's new counter, or undefined if the signature is invalid. */
export async function verifyAssertion(
  { publicUrl }: RelyingParty,
  response: unknown,
  { challenge, passkey }: { readonly challenge: string; readonly passkey: Passkey },
): Promise<number | undefined> {
  const { origin, hostname } = new URL(publicUrl);
  const verification = await undefinedIfThrown(() =>
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
  return verification?.verified ? verification.authenticationInfo.newCounter : undefined;
}

/**
 * The library throws for every invalid response and makes no network calls, so each of its errors means an invalid
 * response.
 */
async function undefinedIfThrown<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
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
