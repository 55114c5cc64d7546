import { parseApprovalRules, type ApprovalRules } from "../people/approval-rules.ts";
import { parseProxies, type Proxies } from "../core/network-address.ts";
import type { Environment } from "../postgres/migrate.ts";
import type { Pkcs11Options } from "../signing/pkcs11.ts";
import type { VaultOptions } from "../signing/vault-transit.ts";
import { UsageError } from "../core/command-errors.ts";
import { readSecretFile } from "./read-secret-file.ts";
import { parseOrigins, readStaffSettings, type StaffSettings } from "./staff-settings.ts";

/** All settings of a process, which it reads from the environment once. docs/operating/settings.md lists them. */
export interface Settings {
  readonly environment: Environment;
  /** The database URL for `serve` and `work`: a login with the role tollgate_app, which owns no tables. */
  readonly databaseUrl: string;
  /** The database URL for all other commands: the owner of the tables. */
  readonly ownerDatabaseUrl: string;
  /**
   * File of the key encryption key, 32 bytes in base64, for the gateway's private keys; mode 0400 or 0440. The file is
   * not needed with a signer process.
   */
  readonly keyFile: string;
  readonly host: string;
  readonly port: number;
  /** The port for metrics and health of `serve` and `work`. */
  readonly metrics: {
    readonly host: string;
    /** Undefined: no metrics. */
    readonly port: number | undefined;
    /** The collector of spans; undefined if there is none. */
    readonly spans: { readonly url: string; readonly percent: number } | undefined;
  };
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  /** The gateway's public address; the sandbox's responses link to its reference page. */
  readonly publicUrl: string;
  /** The file with the host names of all regions, as JSON; docs/operating/settings.md has an example. */
  readonly hostsFile: string;
  /** How long `/readyz` fails before the listener closes, so that proxies send no new requests. */
  readonly drainSeconds: number;
  readonly logLevel: string;
  readonly databaseConnectionsMax: number;
  /** Daily quota of one merchant's bodies in the request log. */
  readonly requestLogMegabytes: number;
  /** Forward proxy for webhooks, if they must not connect directly. */
  readonly egressProxy: URL | undefined;
  /** Ports to which webhooks may go, in addition to the default ones. */
  readonly egressPorts: readonly number[];
  /** Whether webhooks may go to loopback addresses. */
  readonly allowsLoopbackEgress: boolean;
  /**
   * Whether `serve` sends webhooks itself. If not, workers send all webhooks, and `serve` needs no network access to
   * merchants.
   */
  readonly notifiesFromServe: boolean;
  readonly signing: SigningSettings;
  /** The secret for opening isolated test merchants in the sandbox; empty if they are switched off. */
  readonly controlSecretFile: string;
  /** The addresses from which the control secret is accepted. */
  readonly controlFrom: "anywhere" | "loopback";
  /** The file with the public keys of the accounts service, which signs people's tokens; empty without a console. */
  readonly accountsKeysFile: string;
  /** The acts of people that need approval in this environment, and the amounts above which they do. */
  readonly approvalRules: ApprovalRules;
  /** The audience in tokens for this environment. */
  readonly consoleAudience: string;
  /** Origins of the portal's pages. */
  readonly consoleOrigins: readonly string[];
  /** The database that views read: a standby, if there is one. */
  readonly consoleDatabaseUrl: string;
  /** Settings of `serve-staff`, which serves the operator console. */
  readonly staff: StaffSettings;
  /** Whether a setting of `serve-staff` is set for this process. */
  readonly hasStaffLogin: boolean;
  /** Whether this process has the database owner's login. */
  readonly hasOwnerLogin: boolean;
  /** Pages next to a sandbox, to which its page at `/` links. */
  readonly homeLinks: Readonly<Record<"provider" | "shop" | "till" | "portal", string | undefined>>;
  /** The client whose id and key file the samples of the docs show, on a developer's own machine. */
  readonly docsReader:
    | { readonly clientId: string; readonly keyFile: string; readonly gatewayKeyFile: string }
    | undefined;
  /** The operator's own proxies, whose `x-forwarded-for` is trusted. */
  readonly trustedProxies: Proxies;
  readonly fleet: FleetSettings;
}

/** The settings of a cell in a fleet. */
export interface FleetSettings {
  /** The name of this cell; empty for an installation with a single cell. */
  readonly cell: string;
  /** The signed directory of merchants' home cells, and the public keys that may have signed it. */
  readonly directoryFile: string;
  readonly directoryKeyFile: string;
}

/** Settings of signing, in addition to the key file. */
export interface SigningSettings {
  /** The Unix socket of a separate signer process; empty if this process has the private keys. */
  readonly socket: string;
  /** The previous key file during a rotation; empty if there is none. */
  readonly oldKeyFile: string;
  /** The HSM that holds keys, for the command `signer`. */
  readonly pkcs11: (Omit<Pkcs11Options, "pin"> & { readonly pinFile: string }) | undefined;
  /** For `signer`: a Vault with keys. */
  readonly vault: VaultOptions | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

interface SettingReader {
  /** Whether a setting is set, directly or by its file. The file is not read. */
  isSet(name: string): boolean;
  optional(name: string, fallback: string): string;
  required(name: string): string;
  wholeNumber(name: string, fallback: number): number;
  pageUrl(name: string): string | undefined;
}

/** Reads single variables. An error names the variable that is missing or wrong. */
export function newSettingReader(variables: Variables, prefix = "TOLLGATE"): SettingReader {
  const valueOf = (name: string): string =>
    name.endsWith("DATABASE_URL")
      ? readDatabaseUrl(variables, `${prefix}_${name}`)
      : variables[`${prefix}_${name}`] || "";
  const optional = (name: string, fallback: string): string => valueOf(name) || fallback;
  const required = (name: string): string => {
    const value = valueOf(name);
    if (!value) throw new MissingSettingError(`${prefix}_${name}`);
    return value;
  };
  const wholeNumber = (name: string, fallback: number): number => {
    const value = Number(optional(name, String(fallback)));
    if (!Number.isSafeInteger(value) || value < 0)
      throw new Error(`${prefix}_${name} must be a whole number.`);
    return value;
  };
  const pageUrl = (name: string): string | undefined => {
    const text = optional(name, "");
    if (text && !/^https?:$/.test(URL.parse(text)?.protocol ?? ""))
      throw new Error(`${prefix}_${name} must be the address of a page, http or https.`);
    return text || undefined;
  };
  const isSet = (name: string): boolean =>
    Boolean(variables[`${prefix}_${name}`] || variables[`${prefix}_${name}_FILE`]);
  return { isSet, optional, required, wholeNumber, pageUrl };
}

/**
 * The database URL from a variable, or from a file, because the URL contains a password and `podman inspect` shows
 * variables.
 */
function readDatabaseUrl(variables: Variables, name: string): string {
  const [value, file] = [variables[name], variables[`${name}_FILE`]];
  if (value && file) throw new Error(`Set ${name} or ${name}_FILE, and not both.`);
  return file ? readSecretFile(file) : value || "";
}

export function readSettings(variables: Variables): Settings {
  return buildSettings(newSettingReader(variables));
}

/** The settings have lazy getters, so that a command requires only the settings that it uses. */
function buildSettings({ isSet, optional, required, wholeNumber, pageUrl }: SettingReader): Settings {
  return {
    get environment() {
      return parseEnvironment(required("ENVIRONMENT"));
    },
    get databaseUrl() {
      return required("DATABASE_URL");
    },
    get ownerDatabaseUrl() {
      return required("OWNER_DATABASE_URL");
    },
    get keyFile() {
      return this.signing.socket === "" ? required("KEY_FILE") : optional("KEY_FILE", "");
    },
    get tls() {
      return readTls({ optional, required });
    },
    metrics: readMetrics({ optional, wholeNumber, pageUrl }),
    get publicUrl() {
      return optional("PUBLIC_URL", `http://${this.host}:${this.port}`);
    },
    get egressProxy() {
      return parseProxy(optional("EGRESS_PROXY", ""));
    },
    get egressPorts() {
      return parsePorts(optional("EGRESS_PORTS", ""));
    },
    get allowsLoopbackEgress() {
      return parseLoopbackEgress(optional("EGRESS_LOOPBACK", ""));
    },
    get notifiesFromServe() {
      return parseNotifyFrom(optional("NOTIFY_FROM", "serve"));
    },
    signing: readSigning({ optional, required }),
    get homeLinks() {
      return readHomeLinks(pageUrl);
    },
    docsReader: readDocsReader((name) => optional(name, "")),
    hasOwnerLogin: isSet("OWNER_DATABASE_URL"),
    get trustedProxies() {
      return parseTrustedProxies(optional("TRUSTED_PROXIES", ""));
    },
    host: optional("HOST", "127.0.0.1"),
    get port() {
      return wholeNumber("PORT", 8080);
    },
    fleet: readFleet({ optional, required }),
    ...readFiles(optional),
    get consoleAudience() {
      return optional("CONSOLE_AUDIENCE", this.environment);
    },
    get consoleOrigins() {
      return parseOrigins(optional("CONSOLE_ORIGINS", ""), "CONSOLE_ORIGINS");
    },
    staff: readStaffSettings(required),
    hasStaffLogin: isSet("STAFF_DATABASE_URL") || isSet("STAFF_ORIGINS"),
    get consoleDatabaseUrl() {
      return optional("CONSOLE_DATABASE_URL", "") || this.databaseUrl;
    },
    approvalRules: readApprovalRulesSetting("TOLLGATE_APPROVAL_RULES", optional("APPROVAL_RULES", "")),
    logLevel: optional("LOG_LEVEL", "info"),
    drainSeconds: wholeNumber("DRAIN_SECONDS", 0),
    get databaseConnectionsMax() {
      return wholeNumber("DATABASE_CONNECTIONS_MAX", 16);
    },
    get requestLogMegabytes() {
      return wholeNumber("REQUEST_LOG_MEGABYTES", 1_024);
    },
  };
}

/** Pages next to a sandbox, to which its page at `/` links. */
function readHomeLinks(pageUrl: (name: string) => string | undefined): Settings["homeLinks"] {
  return {
    provider: pageUrl("WALLET_PAGE"),
    shop: pageUrl("SHOP_PAGE"),
    till: pageUrl("TILL_PAGE"),
    portal: pageUrl("PORTAL_PAGE"),
  };
}

function parseEnvironment(value: string): Environment {
  if (value === "sandbox" || value === "live") return value;
  throw new Error("TOLLGATE_ENVIRONMENT must be sandbox or live.");
}

function readTls({ optional, required }: Pick<SettingReader, "optional" | "required">): Settings["tls"] {
  const certificateFile = optional("TLS_CERTIFICATE_FILE", "");
  return certificateFile ? { certificateFile, keyFile: required("TLS_KEY_FILE") } : undefined;
}

function readSigning({ optional, required }: Pick<SettingReader, "optional" | "required">): SigningSettings {
  return {
    socket: optional("SIGNER_SOCKET", ""),
    oldKeyFile: optional("OLD_KEY_FILE", ""),
    get pkcs11() {
      const module = optional("PKCS11_MODULE", "");
      if (module === "") return undefined;
      const [addOn, token] = [required("PKCS11_ADD_ON"), required("PKCS11_TOKEN")];
      return { module, addOn, token, pinFile: required("PKCS11_PIN_FILE") };
    },
    get vault() {
      const url = optional("VAULT_URL", "");
      const mount = optional("VAULT_MOUNT", "transit");
      return url === "" ? undefined : { url, mount, tokenFile: required("VAULT_TOKEN_FILE") };
    },
  };
}

function readFiles(
  optional: SettingReader["optional"],
): Pick<Settings, "hostsFile" | "controlSecretFile" | "controlFrom" | "accountsKeysFile"> {
  return {
    hostsFile: optional("HOSTS_FILE", ""),
    controlSecretFile: optional("CONTROL_SECRET_FILE", ""),
    get controlFrom() {
      const from = optional("CONTROL_FROM", "anywhere");
      if (from === "anywhere" || from === "loopback") return from;
      throw new Error("TOLLGATE_CONTROL_FROM must be anywhere or loopback.");
    },
    accountsKeysFile: optional("ACCOUNTS_KEYS_FILE", ""),
  };
}

function readFleet({ optional, required }: Pick<SettingReader, "optional" | "required">): FleetSettings {
  return {
    cell: optional("CELL", ""),
    directoryFile: optional("DIRECTORY_FILE", ""),
    get directoryKeyFile() {
      return this.directoryFile === "" ? "" : required("DIRECTORY_KEY_FILE");
    },
  };
}

function parseLoopbackEgress(value: string): boolean {
  if (value !== "" && value !== "allow")
    throw new Error("TOLLGATE_EGRESS_LOOPBACK must be allow, or not set.");
  return value === "allow";
}

function parseNotifyFrom(value: string): boolean {
  if (value !== "serve" && value !== "work") throw new Error("TOLLGATE_NOTIFY_FROM must be serve or work.");
  return value === "serve";
}

function readMetrics({
  optional,
  wholeNumber,
  pageUrl,
}: Pick<SettingReader, "optional" | "wholeNumber" | "pageUrl">): Settings["metrics"] {
  return {
    get spans() {
      const url = pageUrl("OTLP_URL");
      return url === undefined ? undefined : { url, percent: wholeNumber("OTLP_PERCENT", 100) };
    },
    host: optional("METRICS_HOST", "127.0.0.1"),
    get port() {
      return optional("METRICS_PORT", "") === "" ? undefined : wholeNumber("METRICS_PORT", 0);
    },
  };
}

function parsePorts(text: string): readonly number[] {
  const ports = text.split(",").filter(Boolean).map(Number);
  if (!ports.every((port) => Number.isSafeInteger(port) && port > 0 && port < 65_536))
    throw new Error("TOLLGATE_EGRESS_PORTS must be ports separated by commas.");
  return ports;
}

/** The name of the key file may need no quotes, because quotes differ from language to language. */
function readDocsReader(optional: (name: string) => string): Settings["docsReader"] {
  const clientId = optional("DOCS_CLIENT_ID");
  const [keyFile, gatewayKeyFile] = [optional("DOCS_KEY_FILE"), optional("DOCS_GATEWAY_KEY_FILE")];
  const needsNoQuotes = [keyFile, gatewayKeyFile].every((path) => /^[\w./@+-]+$/.test(path));
  return clientId && needsNoQuotes ? { clientId, keyFile, gatewayKeyFile } : undefined;
}

/** Reads approval rules. An invalid rule throws, because it would not be enforced. */
export function readApprovalRulesSetting(name: string, text: string): ApprovalRules {
  try {
    return parseApprovalRules(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const form = "keys.change, payments.refund above EUR 50000";
    throw new Error(`${name} must be permissions separated by commas, such as ${form}. ${why}`, { cause });
  }
}

function parseProxy(text: string): URL | undefined {
  const url = URL.parse(text) ?? undefined;
  if (text && url?.protocol !== "http:") throw new Error("TOLLGATE_EGRESS_PROXY must be http://host:port.");
  return url;
}

/** Throws if any of these settings is missing or wrong, and reports all problems together. */
export function checkSettings<Read extends object>(settings: Read, names: readonly (keyof Read)[]): void {
  const problems = names.flatMap((name) => problemsOf(() => settings[name]));
  const missing = problems.flatMap((each) => (each instanceof MissingSettingError ? [each.variable] : []));
  const invalid = problems.filter((each) => !(each instanceof MissingSettingError));
  // The problems are sets, because a setting from which others are derived is reported for each of them.
  const messages = [
    ...(missing.length > 0 ? [new MissingSettingError([...new Set(missing)].join(", ")).message] : []),
    ...new Set(invalid.map(({ message }) => message)),
  ];
  if (messages.length > 0) throw new UsageError(messages.join("\n"));
}

function problemsOf(read: () => unknown): Error[] {
  try {
    read();
    return [];
  } catch (error) {
    return [error instanceof Error ? error : new Error(String(error))];
  }
}

class MissingSettingError extends Error {
  readonly variable: string;

  constructor(variable: string) {
    super(`Set ${variable}. docs/operating/settings.md describes them.`);
    this.variable = variable;
  }
}

function parseTrustedProxies(text: string): Proxies {
  try {
    return parseProxies(text);
  } catch (cause) {
    const form = "networks separated by commas, such as 10.0.0.0/8";
    throw new Error(`TOLLGATE_TRUSTED_PROXIES must be ${form}.`, { cause });
  }
}
