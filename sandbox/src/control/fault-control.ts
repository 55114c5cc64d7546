import { faultKinds, faultOutcomes, faultVerbs, refusals, type Fault } from "../wallet/faults.ts";

/** Returns the fault that the body describes, or an error message. */
export function readFault(body: Readonly<Record<string, unknown>>): Fault | string {
  const { kind, count = 1, delayMs = 0, wrong = "body", match = {} } = body;
  const { outcome = "DONE", resultCode = "PROCESS_FAIL" } = body;
  if (!isOneOf(faultKinds, kind)) return `kind is one of ${faultKinds.join(", ")}.`;
  if (!isWhole(count) || count < 1) return "count is a whole number from 1.";
  if (!isWhole(delayMs) || delayMs < 0) return "delayMs is a whole number from 0.";
  if (!isOneOf(["body", "signature"] as const, wrong)) return "wrong is body or signature.";
  if (!isOneOf(faultOutcomes, outcome)) return "outcome is DONE or FAILED.";
  if (!isOneOf(refusals, resultCode)) return `resultCode is one of ${refusals.join(", ")}.`;
  const matched = readMatch(match);
  if (!matched) return `match contains paymentId, a text, and verb, one of ${faultVerbs.join(", ")}.`;
  return { kind, count, delayMs, wrong, outcome, resultCode, match: matched };
}

function readMatch(match: unknown): Fault["match"] | undefined {
  if (typeof match !== "object" || match === null) return undefined;
  const { paymentId, verb, ...others } = match as { paymentId?: unknown; verb?: unknown };
  if (Object.keys(others).length > 0) return undefined;
  if (paymentId !== undefined && typeof paymentId !== "string") return undefined;
  if (verb !== undefined && !isOneOf(faultVerbs, verb)) return undefined;
  return { ...(paymentId !== undefined && { paymentId }), ...(verb !== undefined && { verb }) };
}

function isOneOf<Value extends string>(values: readonly Value[], value: unknown): value is Value {
  return values.some((each) => each === value);
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value);
}
