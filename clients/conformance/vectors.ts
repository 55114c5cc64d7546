import { readFileSync } from "node:fs";

/** The files of this folder, as their README describes them. */
export interface KeyPair {
  readonly bits: number;
  readonly privatePkcs8: string;
  readonly privatePkcs1: string;
  readonly publicSpki: string;
}

export interface SignCase {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly clientId: string;
  readonly time: string;
  readonly key: string;
  readonly keyVersion: number;
  readonly bodyBase64: string;
  readonly contentSha256: string;
  readonly signature: string;
  readonly header: string;
}

export interface VerifyCase {
  readonly id: string;
  readonly kind: "response" | "webhook";
  readonly method: string;
  readonly path: string;
  readonly expectedClientId: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly bodyBase64: string;
  readonly publicKeys: Readonly<Record<string, string>>;
  readonly now: string;
  readonly toleranceSeconds: number;
  readonly seen?: readonly string[];
  readonly expect: string;
}

export interface KeyCase {
  readonly id: string;
  readonly half: "private" | "public";
  readonly text: string;
  readonly expect: string;
  readonly forServer?: boolean;
}

/** Settings of a key in the environment, and the expected result. */
export interface KeySettingCase {
  readonly id: string;
  readonly half: "private" | "public";
  /** The value of the variable. */
  readonly variable?: string;
  /** The content of the file that the variable with the suffix `_FILE` names. */
  readonly file?: string;
  /** A problem with the file instead of its content: the file is missing, or it is a folder. */
  readonly place?: "missing" | "folder";
  readonly expect: string;
  readonly message?: string;
}

export interface MoneyCase {
  readonly id: string;
  readonly currency: string;
  readonly decimal: string;
  readonly expect: "OK" | "REFUSED";
  readonly value?: string;
  readonly written?: string;
}

export interface ModelCase {
  readonly id: string;
  readonly type: string;
  readonly json: unknown;
  readonly expect: unknown;
}

export interface OutcomeCase {
  readonly id: string;
  readonly type: "PayResponse" | "InquiryPaymentResponse" | "PaymentNotification";
  readonly json: object;
  readonly outcome: string;
}

export interface Reply {
  /** How the gateway fails instead of sending a complete response. */
  readonly do?: "hang" | "reset" | "truncate" | "stall" | "endless";
  readonly http?: number;
  readonly code?: string;
  readonly status?: string;
  /** The text `{run}` in it is replaced by the id of the request. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Padding of the body in bytes, in a field of its own. */
  readonly padBytes?: number;
  /** The raw body, instead of a body with a result. */
  readonly raw?: string;
  readonly sign?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly headerCase?: "title";
}

export interface HttpCase {
  readonly id: string;
  readonly operation: string;
  readonly clientId?: string;
  /** Options of the client, with the names that DESIGN.md uses. */
  readonly client?: Readonly<Record<string, unknown>>;
  /** Options of the call. */
  readonly call?: Readonly<Record<string, unknown>>;
  /** If it is set, the case polls for the final status of a payment instead of making a single call. */
  readonly wait?: { readonly timeoutMs: number };
  readonly replies: readonly Reply[];
  readonly expect: HttpExpectation;
}

export interface HttpExpectation {
  readonly outcome: "answer" | "error";
  readonly class?: string;
  readonly code?: string;
  readonly resultStatus?: string;
  readonly reason?: string;
  readonly httpStatus?: number;
  readonly isSigned?: boolean;
  readonly message?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly absent?: readonly string[];
  readonly path?: string;
  readonly sent?: Readonly<Record<string, string>>;
  readonly waitMs?: number;
  /** The maximum total duration. */
  readonly withinMs?: number;
  readonly attempts: number;
}

export type ByCodeCall = "payByCode" | "showOrderCode" | "openEntryCode" | "finishByCode";

/** A payment at a point of sale, from its first request to its final outcome. */
export interface ByCodeCase {
  readonly id: string;
  readonly call: ByCodeCall;
  /** Options of the call. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The caller stops the payment when it reaches this state. */
  readonly stopAt?: string;
  /** Whether the case calls `finishByCode` if the first call returns an open code. */
  readonly finish?: boolean;
  /** For each operation. */
  readonly replies: Readonly<Record<string, readonly Reply[]>>;
  readonly expect: {
    readonly open?: Readonly<Record<string, unknown>>;
    readonly result?: Readonly<Record<string, unknown>>;
    /** Fields that the result must not have. */
    readonly absent?: readonly string[];
    readonly calls: readonly string[];
    readonly sleptSeconds?: readonly number[];
    readonly states: readonly string[];
  };
}

const keys = readJson<Readonly<Record<string, KeyPair>>>("keys.json");
export const signCases = readJson<{ readonly cases: readonly SignCase[] }>("sign.json").cases;
export const verifyCases = readJson<{ readonly cases: readonly VerifyCase[] }>("verify.json").cases;
export const keyload = readJson<{
  readonly key: string;
  readonly text: string;
  readonly signature: string;
  readonly cases: readonly KeyCase[];
  readonly settings: readonly KeySettingCase[];
}>("keyload.json");
export const moneyCases = readJson<{ readonly cases: readonly MoneyCase[] }>("money.json").cases;
export const modelCases = readJson<{ readonly cases: readonly ModelCase[] }>("models.json").cases;
export const outcomeCases = readJson<{ readonly cases: readonly OutcomeCase[] }>("outcomes.json").cases;
export const http = readJson<{
  readonly clientId: string;
  readonly key: string;
  readonly keyVersion: number;
  readonly gatewayPublicKeys: Readonly<Record<string, string>>;
  readonly cases: readonly HttpCase[];
}>("http.json");
export const byCode = readJson<{
  readonly requests: Readonly<Record<string, object>>;
  readonly cases: readonly ByCodeCase[];
}>("by-code.json");

export function findKeyPair(name: string): KeyPair {
  const key = keys[name];
  if (!key) throw new Error(`keys.json has no key ${name}.`);
  return key;
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as T;
}
