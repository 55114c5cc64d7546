import { randomBytes } from "node:crypto";

/**
 * `newId` returns an id with a prefix for its kind: `per_…` person, `org_…` organisation, `ses_…` session, `inv_…`
 * invitation, `doc_…` document, `rec_…` recovery, `apr_…` approval.
 */
export function newId(kind: "per" | "org" | "ses" | "inv" | "doc" | "rec" | "apr"): string {
  return `${kind}_${randomBytes(15).toString("base64url")}`;
}
