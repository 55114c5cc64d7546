import { isSequence, readText } from "./report-fields.ts";
import type { AuthorizationReport, ExchangeReport } from "./provider.ts";

/** The fields of a consent in the provider protocol. */
interface WireAuthorization {
  readonly reference?: unknown;
  readonly state?: unknown;
  readonly url?: unknown;
  readonly authCode?: unknown;
  readonly reason?: unknown;
  readonly sequence?: unknown;
}

/** `readAuthorization` reads a provider's consent; undefined if the consent is malformed, or has another reference. */
export function readAuthorization(value: unknown, reference: string): AuthorizationReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const authorization: WireAuthorization = value;
  if (authorization.reference !== reference) return undefined;
  const state = readState(authorization);
  const { sequence } = authorization;
  return state && isSequence(sequence) ? { ...state, sequence } : state;
}

function readState(authorization: WireAuthorization): AuthorizationReport | undefined {
  const url = readTextUpTo(authorization.url, 2048);
  switch (authorization.state) {
    case "OPEN":
      return { state: "OPEN", url };
    case "AGREED": {
      const authCode = readTextUpTo(authorization.authCode, 128);
      return authCode === undefined ? undefined : { state: "AGREED", url, authCode };
    }
    case "ACTIVE":
    case "DECLINED":
    case "REVOKED":
      return { state: authorization.state };
    case "CANCELED":
      return { state: "CANCELED", reason: readTextUpTo(authorization.reason, 256) };
    default:
      return undefined;
  }
}

/** `readExchange` reads a provider's response to the exchange of a code; undefined if the response is malformed. */
export function readExchange(authorization: unknown, agreement: unknown): ExchangeReport | undefined {
  if (typeof authorization !== "object" || typeof agreement !== "object") return undefined;
  const consent: WireAuthorization = authorization ?? {};
  const agreementFields: { readonly agreementToken?: unknown; readonly userLoginId?: unknown } =
    agreement ?? {};
  const reference = readTextUpTo(consent.reference, 64);
  const { agreementToken, userLoginId } = agreementFields;
  const token = readTextUpTo(agreementToken, 2048);
  if (reference === undefined || token === undefined) return undefined;
  return { state: "DONE", reference, agreementToken: token, userLoginId: readTextUpTo(userLoginId, 64) };
}

function readTextUpTo(value: unknown, lengthMax: number): string | undefined {
  const read = readText(value);
  return read !== undefined && read.length <= lengthMax ? read : undefined;
}
