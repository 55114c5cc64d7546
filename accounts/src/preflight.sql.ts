import { sql, type Tx } from "../../server/src/postgres/sql.ts";

/**
 * `loginProblem` returns the reason why this login must not serve, or undefined. The audit log is append-only as long
 * as the process cannot change that: a login that owns the tables, or is a superuser, could.
 */
export async function loginProblem(tx: Tx): Promise<string | undefined> {
  const [login] = await tx.query<{
    role: string;
    is_superuser: boolean;
    owns: boolean | null;
    may: boolean | null;
  }>(sql`
    select current_user as role,
      (select bool_or(rolsuper) from pg_roles where pg_has_role(current_user, oid, 'member')) as is_superuser,
      (select pg_has_role(current_user, relowner, 'member') from pg_class where oid = to_regclass('public.audit')) as owns,
      (select has_any_column_privilege(oid, 'insert') from pg_class where oid = to_regclass('public.audit')) as may
  `);
  if (!login) return "The database returned no row.";
  const { role, is_superuser: isSuperuser, owns, may } = login;
  if (isSuperuser) return `The role ${role} is, or can become, a superuser.`;
  if (owns === null) return "The database has not been migrated: run `migrate` first.";
  if (owns) return `The role ${role} owns, or can become the owner of, the tables.`;
  return may ? undefined : `The role ${role} is not a member of the role tollgate_accounts.`;
}
