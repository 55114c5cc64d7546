import type { Problem } from "../api/problems.ts";
import type { Warning } from "../api/unknown-fields.ts";
import type { JsonValue } from "../core/strict-json.ts";
import { results, type Refusal, type ResultCode, type Said } from "../core/result.ts";
import { wireTime } from "../core/request-time.ts";
import type { Algorithm } from "../signing/algorithm.ts";
import { writeSignatureHeader } from "../signing/signature-header.ts";
import type { Arrival } from "./arrival.ts";
import type { Gateway, Route } from "./gateway.ts";

/** The response. Its HTTP status is always 200: the result object tells the outcome. */
export interface Reply {
  readonly code: ResultCode;
  /** Whether the caller has proved who it is. */
  readonly isProven: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * One shape for every answer: the result first, then the operation's fields. The sandbox says where to
 * look; live says no more than the three strings of the interface.
 */
export function answerBody(
  gateway: Pick<Gateway, "environment" | "docsUrl">,
  { code, detail, field, hint }: Said,
  fields: object,
  lesson: Lesson = {},
): Buffer {
  const { status, message, advice } = results[code];
  const result: { [key: string]: JsonValue } = {
    resultCode: code,
    resultStatus: status,
    resultMessage: (detail ?? message).slice(0, 256),
  };
  if (gateway.environment === "sandbox" && status !== "S") {
    if (field) result["resultField"] = field;
    result["resultHint"] = hint ?? hintOf(lesson, field) ?? advice;
    result["docUrl"] = `${gateway.docsUrl}/results#${code}`;
  }
  return Buffer.from(JSON.stringify({ result, ...lesson, ...fields }), "utf8");
}

/** What the sandbox adds beside the result, whose own fields are strings; absent where there is nothing to say. */
export interface Lesson {
  readonly problems?: readonly Problem[];
  readonly warnings?: readonly Warning[];
}

/** What a caller did wrong, as far as its body can be read; nothing in live, which has no teacher. */
export function lessonOf(
  { teacher }: Pick<Route, "teacher">,
  json: JsonValue | undefined,
  { refusal, unchanged = [] }: { readonly refusal?: Refusal; readonly unchanged?: readonly string[] } = {},
): Lesson {
  if (!teacher || json === undefined) return {};
  const kept = unchanged.map((field) => ({ field, warning: keptAsFirst }));
  const warnings = [...teacher.warnings(json), ...kept];
  const problems = refusal && isMalformed(refusal) ? teacher.problems(json, refusal) : [];
  return { ...(problems.length > 0 && { problems }), ...(warnings.length > 0 && { warnings }) };
}

const keptAsFirst =
  "not changed: the value of the first request with this id is kept. Use a new request id to change it.";

/** Whether the request itself is wrong, and not what it asks for: a repeat that differs is well-formed. */
function isMalformed({ refused }: Refusal): boolean {
  return refused === "PARAM_ILLEGAL" || refused === "CURRENCY_NOT_SUPPORT" || refused === "INVALID_CODE";
}

/** The first problem is what the result names; the hint says it in words. */
function hintOf(
  { problems: [first, ...others] = [] }: Lesson,
  field: string | undefined,
): string | undefined {
  if (!first) return undefined;
  const more = others.length === 0 ? "" : ` See problems for ${others.length} more.`;
  return `${first.field === field ? "" : `In ${first.field}: `}${first.problem}${more}`;
}

/** To whom an answer goes, and with which key it is signed. */
export interface Addressee {
  /** Empty when the caller gave none that is well-formed. */
  readonly clientId: string;
  readonly keyVersion: number;
  /** A wallet's own; merchants have RSA256. */
  readonly algorithm?: Algorithm;
}

/**
 * Signs an answer. Names in lower case, and no other header may contain the words `signature` or
 * `response-time`: published libraries look for them letter by letter.
 */
export async function sealedHeaders(
  gateway: Gateway,
  { method, target }: Arrival,
  { clientId, keyVersion, algorithm = "RSA256" }: Addressee,
  body: Buffer,
): Promise<Readonly<Record<string, string>>> {
  // Real time, never the merchant's test clock: receivers compare it with their own clocks.
  const time = wireTime(gateway.clock.now().getTime());
  const parts = { method, path: target.signedPath, clientId, time, body };
  const signature = await gateway.signer.sign({ kind: "answer", keyVersion, algorithm, parts });
  return {
    ...(clientId && { "client-id": clientId }),
    "response-time": time,
    signature: writeSignatureHeader(keyVersion, signature, algorithm),
  };
}
