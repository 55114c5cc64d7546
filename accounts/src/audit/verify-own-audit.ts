import { asOwner } from "../as-owner.ts";
import { verifyAudit, type AuditVerdict } from "./audit.sql.ts";

export async function verifyOwnAudit(url: string): Promise<AuditVerdict> {
  return asOwner(url, verifyAudit);
}
