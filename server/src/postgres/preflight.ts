import { Client, DatabaseError } from "pg";
import type { Environment } from "./migrate.ts";

/** Client-side timeout in milliseconds: a frozen server accepts connections but never responds. */
const responseTimeoutMs = 8_000;

/**
 * The reasons why this process must not use this database; empty if it may. Row-level security only protects if the
 * process cannot disable it, as a role could that owns a table or bypasses row-level security. It calls `warn` for
 * problems that do not prevent a start.
 */
export async function runPreflight(
  url: string,
  environment: Environment,
  warn: (warning: string) => void = () => undefined,
): Promise<readonly string[]> {
  const client = new Client({
    connectionString: url,
    application_name: "tollgate preflight",
    connectionTimeoutMillis: responseTimeoutMs,
    query_timeout: responseTimeoutMs,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const {
      rows: [findings],
    } = await client.query<Findings>(findingsQuery);
    if (!findings) return ["The database did not respond."];
    if (findings.unused_copies) warn(unusedCopiesWarning(findings.unused_copies));
    return [...findPooler(client, findings.process), ...problemsIn(findings, environment)];
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code === "42P01") return ["The database has not been migrated."];
    if (code === "42501") return ["The login does not have the privileges of tollgate_app."];
    throw error;
  } finally {
    await client.end();
  }
}

/**
 * Returns the problem of a connection pooler in front of PostgreSQL. PostgreSQL sends each connection its own process
 * id, for cancelling; a pooler sends ids of its own. A proxy that forwards bytes, such as HAProxy, does not change the
 * ids.
 */
function findPooler(client: Client, process: number): readonly string[] {
  const { processID } = client as Client & { readonly processID?: number };
  if (processID === process) return [];
  return [
    "There is a pooler between this process and PostgreSQL. It drops the settings of each connection: time limits " +
      "and planner settings. Connect directly to PostgreSQL: this process has its own connection pool.",
  ];
}

interface Findings {
  readonly process: number;
  readonly role: string;
  readonly superuser: boolean;
  readonly bypasses: boolean;
  readonly makes_roles: boolean;
  readonly owned: readonly string[] | null;
  readonly unwalled: readonly string[] | null;
  readonly unused_copies: readonly string[] | null;
  readonly environment: string | null;
  readonly balances_are_ours: boolean | null;
  readonly database: string;
  readonly open_to_all: string | null;
  readonly shared_logins: readonly string[] | null;
}

/**
 * `unwalled` are tables without row-level security that a login of Tollgate may use. `unused_copies` are tables that it
 * may not use, for example copies made by a DBA.
 */
const findingsQuery = `
  with unforced as (
    select c.relname::text as name, exists (
      select from pg_roles as ours join pg_roles as held on held.rolname in ('tollgate_app', 'tollgate_support')
      where pg_has_role(ours.oid, held.oid, 'member') and not ours.rolsuper
        and not pg_has_role(ours.oid, c.relowner, 'member')
        and (has_table_privilege(ours.oid, c.oid, 'select, insert, update, delete, truncate, references, trigger')
          or has_any_column_privilege(ours.oid, c.oid, 'select, insert, update, references'))) as is_used
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not (c.relrowsecurity and c.relforcerowsecurity))
  select pg_backend_pid() as process, current_user as role,
    (select bool_or(rolsuper) from pg_roles where pg_has_role(current_user, oid, 'member')) as superuser,
    (select bool_or(rolbypassrls) from pg_roles where pg_has_role(current_user, oid, 'member')) as bypasses,
    (select bool_or(rolcreaterole) from pg_roles where pg_has_role(current_user, oid, 'member')) as makes_roles,
    (select array_agg(relname::text order by relname) from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and pg_has_role(current_user, relowner, 'member')) as owned,
    (select array_agg(name order by name) from unforced where is_used) as unwalled,
    (select array_agg(name order by name) from unforced where not is_used) as unused_copies,
    (select name from environment) as environment,
    (select server = (select system_identifier from pg_control_system()) from balances_position) as balances_are_ours,
    quote_ident(current_database()) as database,
    (select string_agg(privilege, ', ') from unnest(array['connect', 'temporary']) as privilege
      where has_database_privilege('public', current_database(), privilege)) as open_to_all,
    (select array_agg(format('%s (%s)', login.rolname, other.datname) order by login.rolname, other.datname)
      from pg_roles as login join pg_database as here on here.datname = current_database()
        join pg_database as other on other.oid <> here.oid and other.datallowconn
      where login.rolcanlogin and not login.rolsuper and login.oid <> here.datdba
        and pg_has_role(login.oid, 'tollgate_app', 'member')
        and has_database_privilege(login.oid, here.oid, 'connect')
        and has_database_privilege(login.oid, other.oid, 'connect')
        and not has_database_privilege('public', other.oid, 'connect')) as shared_logins`;

function unusedCopiesWarning(tables: readonly string[]): string {
  return (
    `Tables with merchants' rows and without row-level security: ${tables.join(", ")}. ` +
    "No login of Tollgate may use them. Drop them when they are no longer needed."
  );
}

function problemsIn(findings: Findings, environment: Environment): readonly string[] {
  const problems = [];
  if (findings.superuser) problems.push(`The role ${findings.role} is, or can become, a superuser.`);
  if (findings.bypasses)
    problems.push(`The role ${findings.role} bypasses, or can bypass, row-level security.`);
  // Up to PostgreSQL 15 a role that can create roles can make itself a member of the owner.
  if (findings.makes_roles) problems.push(`The role ${findings.role} can create roles.`);
  if (findings.owned)
    problems.push(
      `The role ${findings.role} owns, or can become the owner of, ${findings.owned.join(", ")}.`,
    );
  if (findings.unwalled)
    problems.push(`Row-level security is not forced on ${findings.unwalled.join(", ")}.`);
  if (findings.environment !== environment) {
    problems.push(
      `The database is ${findings.environment ?? "of no environment"}, this process is ${environment}.`,
    );
  }
  // Logins belong to the whole server: only the connect privilege prevents the sandbox's login from using the live
  // database.
  if (findings.open_to_all) {
    problems.push(
      `Every login (public) has ${findings.open_to_all} on the database. Run ` +
        `\`revoke connect, temporary on database ${findings.database} from public\`.`,
    );
  }
  if (findings.shared_logins) {
    problems.push(
      `A login must serve only one database, but these may connect to another as well: ${findings.shared_logins.join(", ")}.`,
    );
  }
  if (!findings.balances_are_ours) {
    problems.push(
      "The balances were summed on another server: a dump was restored here, or PostgreSQL was upgraded. " +
        "Run `node server/src/main.ts balances rebuild` first.",
    );
  }
  return problems;
}
