import { createHash } from "node:crypto";

export type RegistrationState = "PROCESSING" | "APPROVED" | "REJECTED";

/** A merchant, or a store of a merchant, that wants to accept payments of this wallet. */
export interface Registration {
  readonly reference: string;
  readonly registrationRequestId: string;
  readonly providerRegistrationId: string;
  /** Idempotency: SHA-256 of the content, to recognize a repeat; the documents themselves are not stored. */
  readonly contentHash: string;
  readonly state: RegistrationState;
  /** If it is rejected. */
  readonly rejectReasons?: readonly string[];
}

/** A registration as the provider protocol writes it. */
export function registrationOnTheWire(registration: Registration): object {
  const { reference, providerRegistrationId, state, rejectReasons } = registration;
  return { reference, providerRegistrationId, state, ...(rejectReasons && { rejectReasons }) };
}

/** Hash of canonical JSON: the order of an object's fields makes no difference. */
export function hashOfContent(content: unknown): string {
  return createHash("sha256").update(canonical(content)).digest("hex");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(",")}}`;
}
