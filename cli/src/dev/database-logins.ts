import { createHmac } from "node:crypto";
import type { LocalServer } from "../../../server/src/postgres/local-server.ts";

/** The database roles: the owner, and the login of each part. */
export type Role =
  | "tollgate_owner"
  | "tollgate_serve"
  | "tollgate_worker"
  | "tollgate_staff"
  | "tollgate_people";

/** The names of the gateway's database and of the accounts database. */
export const database = "sandbox";
export const accountsDatabase = "accounts";

/** A role's login. Each role has its own password, so that no part knows the password of another part. */
export function buildLoginUrl(
  server: Pick<LocalServer, "url">,
  secret: string,
  role: Role,
  name = database,
): string {
  return server.url(name).replace(/\/\/postgres:[^@]*@/, `//${role}:${derivePassword(secret, role)}@`);
}

/** Returns a role's password. It is derived with HMAC, so that only one secret must be stored. */
export function derivePassword(secret: string, role: Role | "postgres"): string {
  return createHmac("sha256", secret).update(role).digest("base64url");
}
