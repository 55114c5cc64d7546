import { sha256 } from "../core/digest.ts";
import type { JsonValue } from "../core/strict-json.ts";

/**
 * Fields that identify the record of a request. Payment ids come first, because a refused refund has no record under
 * its own request id. An erasure knows all ids of a payment and of its refunds, captures and disputes, so one of them
 * is enough.
 */
const idFields = [
  "paymentId",
  "paymentRequestId",
  "refundId",
  "refundRequestId",
  "captureRequestId",
  "disputeId",
  "subjectId",
  "authState",
] as const;

/**
 * `hashRecordId` returns 32 bits of the SHA-256 of the id in a request, by which `buyer erase` finds it in the request
 * log; undefined without an id. The SQL function `request_record_hash` computes the same. It is a hash, because a
 * caller can send an id that no index accepts.
 */
export function hashRecordId(request: JsonValue): number | undefined {
  if (typeof request !== "object" || request === null || Array.isArray(request)) return undefined;
  const fields = request as Readonly<Record<string, JsonValue>>;
  for (const field of idFields) {
    const id = fields[field];
    if (typeof id === "string") return sha256(id).readInt32BE(0);
  }
  return undefined;
}
