import { url as inspectorUrl } from "node:inspector";
import { connectorUrlProblem, type Connector } from "../providers/connector.ts";
import type { Settings } from "./settings.ts";
import type { StaffSettings } from "./staff-settings.ts";

/** The kind of process. `gateway` is `serve` or `work`; `staff` is `serve-staff`. */
export type ProcessKind = "gateway" | "staff" | "signer";

/**
 * Returns why this process must not handle real money with these settings; empty if it may. The settings are checked
 * before the process connects to anything.
 */
export function liveProblems(settings: Settings, kind: ProcessKind = "gateway"): readonly string[] {
  if (settings.environment !== "live") return [];
  const problems = [];
  if (!isLocalOrVerified(settings.databaseUrl))
    problems.push("TOLLGATE_DATABASE_URL leads over a network, and has no sslmode=verify-full.");
  if (settings.hasOwnerLogin)
    problems.push(
      "TOLLGATE_OWNER_DATABASE_URL is set. The owner's login bypasses row-level security, and is only for commands.",
    );
  if (settings.allowsLoopbackEgress)
    problems.push("TOLLGATE_EGRESS_LOOPBACK is set. Webhooks could reach services on this machine.");
  if (settings.controlSecretFile !== "")
    problems.push("TOLLGATE_CONTROL_SECRET_FILE is set. Isolated test merchants exist only in the sandbox.");
  if (kind !== "signer" && settings.signing.socket !== "" && settings.keyFile !== "")
    problems.push(
      "TOLLGATE_KEY_FILE is set in addition to TOLLGATE_SIGNER_SOCKET. With it this process could decrypt the private keys.",
    );
  if (settings.signing.vault && !settings.signing.vault.url.startsWith("https:"))
    problems.push("TOLLGATE_VAULT_URL has no TLS. An eavesdropper could read the token that signs.");
  const { consoleDatabaseUrl } = settings;
  if (consoleDatabaseUrl !== settings.databaseUrl && !isLocalOrVerified(consoleDatabaseUrl))
    problems.push("TOLLGATE_CONSOLE_DATABASE_URL leads over a network, and has no sslmode=verify-full.");
  if (!settings.consoleOrigins.every((origin) => origin.startsWith("https:")))
    problems.push("TOLLGATE_CONSOLE_ORIGINS has an origin without TLS. An attacker could replace its pages.");
  if (kind === "staff") problems.push(...staffProblems(settings.staff));
  else if (settings.hasStaffLogin)
    problems.push(
      "TOLLGATE_STAFF_DATABASE_URL or TOLLGATE_STAFF_ORIGINS is set: only `tollgate serve-staff` may hold the login of the " +
        "operator console. Remove both here, and run `tollgate serve-staff` with them.",
    );
  if (inspectorUrl() !== undefined)
    problems.push(
      "The inspector is open (--inspect, or NODE_OPTIONS). Every client that reaches it can read the private keys.",
    );
  return problems;
}

function staffProblems({ origins, databaseUrl }: StaffSettings): readonly string[] {
  const problems = [];
  if (!origins.every((origin) => origin.startsWith("https:")))
    problems.push("TOLLGATE_STAFF_ORIGINS has an origin without TLS. An attacker could replace its pages.");
  if (!isLocalOrVerified(databaseUrl))
    problems.push("TOLLGATE_STAFF_DATABASE_URL leads over a network, and has no sslmode=verify-full.");
  return problems;
}

/**
 * Returns why this process must not handle real money with these providers, which are known only once the database is
 * open.
 */
export function liveConnectorProblems(
  { environment }: Settings,
  connectors: readonly Connector[],
): readonly string[] {
  if (environment !== "live") return [];
  return connectors.flatMap(({ name, url, simulator }) => {
    const problem = connectorUrlProblem(url, environment);
    return [
      ...(simulator ? [`The connector ${name} is a simulator.`] : []),
      ...(problem === undefined ? [] : [`The connector ${name}: ${problem}`]),
    ];
  });
}

/**
 * Whether a connection to the database does not leave the machine. The URL is parsed as `pg` does: a path, or a host
 * that begins with a slash, is a Unix socket; the host may be absent.
 */
function isLocalOrVerified(databaseUrl: string): boolean {
  if (/^(\/|socket:)/.test(databaseUrl)) return true;
  const url = URL.parse(databaseUrl.replace("@/", `@${missingHost}/`));
  if (!url) return false;
  const hostname = url.hostname === missingHost ? "" : decodeURIComponent(url.hostname);
  const host = url.searchParams.get("host") ?? (hostname || process.env["PGHOST"] || "localhost");
  const isLocal = host.startsWith("/") || /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
  return isLocal || url.searchParams.get("sslmode") === "verify-full";
}

const missingHost = "unnamed.invalid";
