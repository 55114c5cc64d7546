import { generateKeyPairSync, randomUUID } from "node:crypto";
import { signPersonToken, type PersonToken } from "../../src/people/person-token.ts";
import { keyIdOf } from "../../src/people/public-keys.ts";
import { personKindOf } from "../../src/people/role.ts";
import type { TestDatabase } from "./test-database.ts";
import { send, writeTestFile, type ReceivedAnswer } from "./test-gateway.ts";

/** Accounts, as a gateway sees it: a key pair, and the origin of its pages. */
export const portalOrigin = "https://portal.example";
/** The origin of the operator console. */
export const staffOrigin = "https://operators.example";
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
export const accountsKeyId = keyIdOf(publicKey);
const keysText = String(publicKey.export({ type: "spki", format: "pem" }));

/** Environment variables for a `serve` with a console for merchants' people. */
export const consoleVariables = {
  TOLLGATE_ACCOUNTS_KEYS_FILE: writeTestFile(`accounts-${randomUUID()}.pem`, keysText),
  TOLLGATE_CONSOLE_ORIGINS: portalOrigin,
};

/** For `serve-staff`. */
export function staffVariables({ staffUrl }: TestDatabase): Readonly<Record<string, string>> {
  return {
    TOLLGATE_ACCOUNTS_KEYS_FILE: consoleVariables.TOLLGATE_ACCOUNTS_KEYS_FILE,
    TOLLGATE_STAFF_ORIGINS: staffOrigin,
    TOLLGATE_STAFF_DATABASE_URL: staffUrl,
  };
}

/** Fields of a person's token. `stepUpAt: undefined` means a person without re-authentication. */
type TokenFields = Omit<Partial<PersonToken>, "stepUpAt"> & { readonly stepUpAt?: number | undefined };

/** A person's token, created now; by default of an owner who has just re-authenticated. */
export function personToken(fields: TokenFields = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const { role = "owner" } = fields;
  const stepUpAt = "stepUpAt" in fields ? fields.stepUpAt : now;
  const token = {
    iss: "accounts",
    aud: "sandbox",
    sub: `per_${randomUUID()}`,
    organisation: "org_1",
    kind: personKindOf(role),
    clientIds: [],
    role,
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
    ...fields,
    stepUpAt,
  };
  return signPersonToken(token as PersonToken, { kid: accountsKeyId, privateKey });
}

export interface ConsoleRequest {
  readonly token?: string | undefined;
  readonly body?: object | string;
  readonly method?: string;
  /** Headers that are added to the default headers or replace them. The value undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Sends a request as a page of the portal does, or of the operator console if the token is of staff. */
export function requestConsole(
  url: string,
  path: string,
  { token, body = {}, method, headers }: ConsoleRequest,
): Promise<ReceivedAnswer> {
  return send(url, {
    path: `/console/${path}`,
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(method !== undefined && { method }),
    headers: {
      origin: isOfStaff(token) ? staffOrigin : portalOrigin,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
}

function isOfStaff(token: string | undefined): boolean {
  return Buffer.from(token?.split(".")[1] ?? "", "base64url").includes('"kind":"staff"');
}

/** The result code in a response of the console. */
export function resultCodeOf({ json }: ReceivedAnswer): string {
  return json.result["resultCode"] ?? "";
}
