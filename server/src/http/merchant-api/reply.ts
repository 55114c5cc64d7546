import type { Problem } from "../../contract/problems.ts";
import type { Warning } from "../../contract/unknown-fields.ts";
import type { JsonValue } from "../../core/strict-json.ts";
import { results, type Refusal, type ResultCode, type RequestResult } from "../../core/result.ts";
import { formatWireTime } from "../../core/request-time.ts";
import type { Algorithm } from "../../signing/algorithm.ts";
import { writeSignatureHeader } from "../../signing/signature-header.ts";
import type { Arrival } from "./arrival.ts";
import type { Gateway, Route } from "./gateway.ts";

/** The response to an operation. Its HTTP status is always 200; the result object gives the outcome. */
export interface Reply {
  readonly code: ResultCode;
  /** Whether the caller is authenticated. */
  readonly isAuthenticated: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Builds the body of every response: first the result, then the operation's fields. The sandbox adds hints; live
 * returns only the three strings of the interface.
 */
export function answerBody(
  gateway: Pick<Gateway, "environment" | "docsUrl">,
  { code, detail, field, hint }: RequestResult,
  fields: object,
  explanation: SandboxExplanation = {},
): Buffer {
  const { status, message, advice } = results[code];
  const result: { [key: string]: JsonValue } = {
    resultCode: code,
    resultStatus: status,
    resultMessage: (detail ?? message).slice(0, 256),
  };
  if (gateway.environment === "sandbox" && status !== "S") {
    if (field) result["resultField"] = field;
    result["resultHint"] = hint ?? hintOf(explanation, field) ?? advice;
    result["docUrl"] = `${gateway.docsUrl}/results#${code}`;
  }
  return Buffer.from(JSON.stringify({ result, ...explanation, ...fields }), "utf8");
}

/**
 * The sandbox's additions to the response. They are next to `result`, because all fields of `result` are strings. Each
 * is absent if it does not apply.
 */
export interface SandboxExplanation {
  readonly problems?: readonly Problem[];
  readonly warnings?: readonly Warning[];
}

/** The mistakes in a request, as far as its body can be parsed. Empty in live, which has no explanations. */
export function explainMistakes(
  { explainer }: Pick<Route, "explainer">,
  json: JsonValue | undefined,
  {
    refusal,
    ignoredDifferences = [],
  }: { readonly refusal?: Refusal; readonly ignoredDifferences?: readonly string[] } = {},
): SandboxExplanation {
  if (!explainer || json === undefined) return {};
  const ignoredFields = ignoredDifferences.map((field) => ({ field, warning: unchangedWarning }));
  const warnings = [...explainer.warnings(json), ...ignoredFields];
  const problems = refusal && isMalformed(refusal) ? explainer.problems(json, refusal) : [];
  return { ...(problems.length > 0 && { problems }), ...(warnings.length > 0 && { warnings }) };
}

const unchangedWarning =
  "not changed: the value of the first request with this id is kept. Use a new request id to change it.";

/** Whether the request itself is invalid. A repeated request with other fields is well-formed. */
function isMalformed({ refused }: Refusal): boolean {
  return refused === "PARAM_ILLEGAL" || refused === "CURRENCY_NOT_SUPPORT" || refused === "INVALID_CODE";
}

/** The hint of a response. The result names the first problem; the hint explains it. */
function hintOf(
  { problems: [first, ...others] = [] }: SandboxExplanation,
  field: string | undefined,
): string | undefined {
  if (!first) return undefined;
  const more = others.length === 0 ? "" : ` See problems for ${others.length} more.`;
  return `${first.field === field ? "" : `In ${first.field}: `}${first.problem}${more}`;
}

/** The receiver of a response, and the key that signs it. */
export interface Addressee {
  /** The receiver's client id; empty if the caller sent no well-formed client id. */
  readonly clientId: string;
  readonly keyVersion: number;
  /** The algorithm of the signature: the algorithm of a provider's key; RSA256 for merchants. */
  readonly algorithm?: Algorithm;
}

/**
 * Signs a response. Header names are in lower case, and no other header may contain the words `signature` or
 * `response-time`: published libraries search for them case-sensitively.
 */
export async function signedReplyHeaders(
  gateway: Gateway,
  { method, target }: Arrival,
  { clientId, keyVersion, algorithm = "RSA256" }: Addressee,
  body: Buffer,
): Promise<Readonly<Record<string, string>>> {
  // A response has the real time, never the merchant's test clock: receivers compare it with their own clocks.
  const time = formatWireTime(gateway.clock.now().getTime());
  const parts = { method, path: target.signedPath, clientId, time, body };
  const signature = await gateway.signer.sign({ kind: "answer", keyVersion, algorithm, parts });
  return {
    ...(clientId && { "client-id": clientId }),
    "response-time": time,
    signature: writeSignatureHeader(keyVersion, signature, algorithm),
  };
}
