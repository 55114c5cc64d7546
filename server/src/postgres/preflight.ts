import { Client, DatabaseError } from "pg";
import type { Environment } from "./migrate.ts";

/**
 * Why this process must not use this database, or nothing. The second wall stands only if the
 * process cannot lift it: a role that owns a table or bypasses row-level security could.
 */
export async function preflight(url: string, environment: Environment): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, application_name: "tollgate preflight" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Findings>(question);
    return rows[0] ? problemsIn(rows[0], environment) : ["The database gave no answer."];
  } catch (error) {
    if (error instanceof DatabaseError && error.code === "42P01")
      return ["The database has not been migrated."];
    throw error;
  } finally {
    await client.end();
  }
}

interface Findings {
  readonly role: string;
  readonly superuser: boolean;
  readonly bypasses: boolean;
  readonly owned: readonly string[] | null;
  readonly unwalled: readonly string[] | null;
  readonly environment: string | null;
}

const question = `
  select current_user as role,
    (select rolsuper from pg_roles where rolname = current_user) as superuser,
    (select rolbypassrls from pg_roles where rolname = current_user) as bypasses,
    (select array_agg(relname::text order by relname) from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and pg_has_role(current_user, relowner, 'member')) as owned,
    (select array_agg(c.relname::text order by c.relname) from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not (c.relrowsecurity and c.relforcerowsecurity)) as unwalled,
    (select name from environment) as environment`;

function problemsIn(found: Findings, environment: Environment): readonly string[] {
  const problems = [];
  if (found.superuser) problems.push(`The role ${found.role} is a superuser.`);
  if (found.bypasses) problems.push(`The role ${found.role} bypasses row-level security.`);
  if (found.owned)
    problems.push(`The role ${found.role} owns, or can become the owner of, ${found.owned.join(", ")}.`);
  if (found.unwalled) problems.push(`Row-level security is not forced on ${found.unwalled.join(", ")}.`);
  if (found.environment !== environment) {
    problems.push(
      `The database is ${found.environment ?? "of no environment"}, this process is ${environment}.`,
    );
  }
  return problems;
}
