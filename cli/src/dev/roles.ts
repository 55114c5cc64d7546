import { createHmac } from "node:crypto";
import type { LocalServer } from "../../../server/src/postgres/local-server.ts";

/** The roles of the database: who owns it, and as whom each part logs in. */
export type Role =
  | "tollgate_owner"
  | "tollgate_serve"
  | "tollgate_worker"
  | "tollgate_staff"
  | "tollgate_people";

/** The gateway's database, and that of accounts. */
export const database = "sandbox";
export const accountsDatabase = "accounts";

/** A role's login. Each has a password of its own, so that no part knows another's. */
export function loginOf(
  server: Pick<LocalServer, "url">,
  secret: string,
  role: Role,
  name = database,
): string {
  return server.url(name).replace(/\/\/postgres:[^@]*@/, `//${role}:${passwordOf(secret, role)}@`);
}

/** Derived (HMAC), so that one secret is kept, and not five. */
export function passwordOf(secret: string, role: Role | "postgres"): string {
  return createHmac("sha256", secret).update(role).digest("base64url");
}
