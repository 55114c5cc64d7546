import { hash } from "node:crypto";

/** Bytes stored for each compared field: enough to detect a difference, too few to recover a value. */
const bytesPerField = 8;

/**
 * The request fingerprint, for idempotency: one short hash for each field that must be equal in a repeat, so that the
 * rejection can name the field that differs. The hash is keyed, because a compared field may be a token, whose plain
 * hash could be brute-forced.
 */
export function fingerprintOf(request: object, fields: readonly string[], key: Uint8Array): Buffer {
  const secret = Buffer.from(key).toString("base64");
  // The hash is SHA-256 with the key as a prefix, because HMAC costs ten times as much. A truncated hash allows no
  // length extension.
  return Buffer.concat(
    fields.map((field) => {
      const keyedField = `${secret} ${field}=${canonicalJson(valueAt(request, field))}`;
      return hash("sha256", keyedField, "buffer").subarray(0, bytesPerField);
    }),
  );
}

/** The first field in which two requests differ, or undefined if all compared fields are equal. */
export function differingField(
  fields: readonly string[],
  first: Uint8Array,
  second: Uint8Array,
): string | undefined {
  return fields.find((_, index) => {
    const from = index * bytesPerField;
    const to = from + bytesPerField;
    return Buffer.compare(first.subarray(from, to), second.subarray(from, to)) !== 0;
  });
}

function valueAt(request: object, field: string): unknown {
  return field.split(".").reduce<unknown>((value, name) => {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }, request);
}

/** Canonical JSON, in which the order of an object's keys does not matter. */
export function canonicalJson(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(",")}}`;
}
