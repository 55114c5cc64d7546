import { randomBytes } from "node:crypto";

/**
 * Ids tell their kind: `per_…` a person, `org_…` an organisation, `ses_…` a session, `inv_…` an invitation, `doc_…` a paper, `rec_…` a recovery, `apr_…` an
 * approval.
 */
export function newId(kind: "per" | "org" | "ses" | "inv" | "doc" | "rec" | "apr"): string {
  return `${kind}_${randomBytes(15).toString("base64url")}`;
}
