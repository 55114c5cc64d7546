import { parseProxies, type Proxies } from "../../server/src/core/network-address.ts";
import { newSettingReader, readApprovalRulesSetting } from "../../server/src/settings/settings.ts";
import type { ApprovalRules } from "../../server/src/people/approval-rules.ts";
import type { OidcSettings } from "./oidc/identity-provider.ts";
import type { PortalGateway } from "./portal/serve-portal.ts";

/** All settings of accounts, read once from the environment. docs/operating/settings.md lists them. */
export interface Settings {
  /** For `serve`: a database login with the role tollgate_accounts, which owns no tables. */
  readonly databaseUrl: string;
  /** For the other commands: the login that owns the tables. */
  readonly ownerDatabaseUrl: string;
  /** The file of the key encryption key (32 bytes in base64) for the secrets of authenticator apps. */
  readonly keyFile: string;
  /** The file of the private key that signs tokens: Ed25519, PEM. */
  readonly tokenKeyFile: string;
  readonly host: string;
  readonly port: number;
  /** Our URL as browsers see it. Passkeys and cookies are bound to it. */
  readonly publicUrl: string;
  readonly smtpUrl: string;
  readonly mailFrom: string;
  /** The audience of tokens for each environment's gateway. */
  readonly audiences: { readonly sandbox: string; readonly live: string };
  /** True if merchants' people may use live after a sign-in with password and code. */
  readonly allowsLivePasswords: boolean;
  /** Permissions for which accounts require approval of their own actions. */
  readonly approvalRules: ApprovalRules;
  /** The operator's identity provider for single sign-on; undefined if there is none. */
  readonly oidc: (Omit<OidcSettings, "clientSecret"> & { readonly clientSecretFile: string }) | undefined;
  /** The output folder of `portal/build/build-portal.ts`; empty if this process serves no portal. */
  readonly portalFolder: string;
  /** The gateways to which the portal sends requests from the browser. */
  readonly gateways: readonly PortalGateway[];
  /** The operator console on a second address, only for staff; undefined if this process serves none. */
  readonly operator: OperatorSettings | undefined;
  /** Only for `tollgate dev`: the file with the secret of the printed link, and the merchant's client id. */
  readonly developer: { readonly secretFile: string; readonly clientId: string } | undefined;
  readonly trustedProxies: Proxies;
  readonly logLevel: string;
  readonly databaseConnectionsMax: number;
}

export interface OperatorSettings {
  /** The console's URL as browsers see it. It must differ from the portal's. */
  readonly publicUrl: string;
  readonly port: number;
  readonly gateways: readonly PortalGateway[];
}

export const settingsOfServe = [
  "databaseUrl",
  "keyFile",
  "tokenKeyFile",
  "port",
  "publicUrl",
  "smtpUrl",
  "mailFrom",
  "audiences",
  "allowsLivePasswords",
  "approvalRules",
  "oidc",
  "gateways",
  "operator",
  "developer",
  "trustedProxies",
  "databaseConnectionsMax",
] as const satisfies readonly (keyof Settings)[];

type Variables = Readonly<Record<string, string | undefined>>;

/** Lazy getters: a command requires only the settings that it uses. */
export function readSettings(variables: Variables): Settings {
  const { optional, required, wholeNumber } = newSettingReader(variables, "ACCOUNTS");
  return {
    get databaseUrl() {
      return required("DATABASE_URL");
    },
    get ownerDatabaseUrl() {
      return required("OWNER_DATABASE_URL");
    },
    get keyFile() {
      return required("KEY_FILE");
    },
    get tokenKeyFile() {
      return required("TOKEN_KEY_FILE");
    },
    host: optional("HOST", "127.0.0.1"),
    get port() {
      return wholeNumber("PORT", 8090);
    },
    get publicUrl() {
      return publicUrlIn(required("PUBLIC_URL"));
    },
    get smtpUrl() {
      return smtpUrlIn(required("SMTP_URL"), optional("PUBLIC_URL", ""));
    },
    get mailFrom() {
      return mailFromIn(required("MAIL_FROM"));
    },
    get audiences() {
      return audiencesIn(optional("SANDBOX_AUDIENCE", "sandbox"), optional("LIVE_AUDIENCE", "live"));
    },
    get allowsLivePasswords() {
      const value = optional("LIVE_PASSWORDS", "");
      if (value !== "" && value !== "allow")
        throw new Error("ACCOUNTS_LIVE_PASSWORDS must be allow, or not be set.");
      return value === "allow";
    },
    get approvalRules() {
      return readApprovalRulesSetting("ACCOUNTS_APPROVAL_RULES", optional("APPROVAL_RULES", ""));
    },
    get oidc() {
      return oidcIn(optional, required);
    },
    portalFolder: optional("PORTAL_FOLDER", ""),
    get gateways() {
      return gatewaysIn({ sandbox: optional("SANDBOX_URL", ""), live: optional("LIVE_URL", "") });
    },
    get operator() {
      return operatorIn(variables, this.portalFolder);
    },
    get developer() {
      const secretFile = optional("DEVELOPER_SECRET_FILE", "");
      if (secretFile === "") return undefined;
      checkLocal(optional("PUBLIC_URL", ""));
      return { secretFile, clientId: required("DEVELOPER_CLIENT_ID") };
    },
    get trustedProxies() {
      return proxiesIn(optional("TRUSTED_PROXIES", ""));
    },
    logLevel: optional("LOG_LEVEL", "info"),
    get databaseConnectionsMax() {
      return wholeNumber("DATABASE_CONNECTIONS_MAX", 8);
    },
  };
}

function operatorIn(variables: Variables, portalFolder: string): OperatorSettings | undefined {
  const { optional, wholeNumber } = newSettingReader(variables, "ACCOUNTS");
  const text = optional("OPERATOR_URL", "");
  if (text === "") return undefined;
  const publicUrl = publicUrlIn(text, "OPERATOR_URL");
  if (publicUrl === optional("PUBLIC_URL", ""))
    throw new Error("ACCOUNTS_OPERATOR_URL must differ from ACCOUNTS_PUBLIC_URL.");
  const staffUrls = {
    sandbox: optional("OPERATOR_SANDBOX_URL", ""),
    live: optional("OPERATOR_LIVE_URL", ""),
  };
  return {
    publicUrl,
    port: wholeNumber("OPERATOR_PORT", 8091),
    gateways: portalFolder === "" ? [] : gatewaysIn(staffUrls),
  };
}

/** Browsers allow secure cookies and passkeys only with https, and on localhost. */
function publicUrlIn(text: string, name = "PUBLIC_URL"): string {
  const url = URL.parse(text);
  const isSecure = url?.protocol === "https:" || (url?.protocol === "http:" && url.hostname === "localhost");
  if (!url || !isSecure || text !== url.origin)
    throw new Error(
      `ACCOUNTS_${name} must be https://host, or http://localhost:port, without a path or a trailing slash.`,
    );
  return url.origin;
}

function checkLocal(publicUrl: string): void {
  if (!isLocal(publicUrl))
    throw new Error(
      "ACCOUNTS_DEVELOPER_SECRET_FILE is only for http://localhost, because it allows a sign-in without a credential.",
    );
}

type Reader = ReturnType<typeof newSettingReader>;

function oidcIn(optional: Reader["optional"], required: Reader["required"]): Settings["oidc"] {
  const issuer = optional("OIDC_ISSUER", "");
  if (issuer === "") return undefined;
  const domains = required("OIDC_DOMAINS").toLowerCase().split(",");
  return {
    issuer: issuerIn(issuer),
    clientId: required("OIDC_CLIENT_ID"),
    clientSecretFile: required("OIDC_CLIENT_SECRET_FILE"),
    name: optional("OIDC_NAME", URL.parse(issuer)?.hostname ?? issuer),
    domains: domains.map((domain) => domain.trim()),
  };
}

/** Must be https, because the authorization code and the client secret are sent to it. */
function issuerIn(text: string): string {
  const url = URL.parse(text);
  const isSecure = url?.protocol === "https:" || (url?.protocol === "http:" && url.hostname === "localhost");
  if (!isSecure) throw new Error("ACCOUNTS_OIDC_ISSUER must be https://…, or http://localhost:port.");
  return text;
}

function isLocal(publicUrl: string): boolean {
  return publicUrl.startsWith("http://localhost:");
}

/** On a developer's computer, emails can be written to a folder: file:///folder/. */
function smtpUrlIn(text: string, publicUrl: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "file:" && isLocal(publicUrl)) return text;
  if (!url?.hostname || !/^smtps?:$/.test(url.protocol))
    throw new Error("ACCOUNTS_SMTP_URL must be smtps://user:password@host, or smtp://host:port.");
  return text;
}

function mailFromIn(text: string): string {
  if (!/^(?:[^<>\r\n]+ )?<?[^\s@<>]+@[^\s@<>]+>?$/.test(text))
    throw new Error("ACCOUNTS_MAIL_FROM must be an email address, such as Tollgate <accounts@pay.example>.");
  return text;
}

/**
 * Sandbox and live must have different audiences. With the same audience, the live gateway would accept a sandbox
 * token.
 */
function audiencesIn(sandbox: string, live: string): Settings["audiences"] {
  const isSingleWord = (text: string): boolean => /^[\x21-\x7e]{1,128}$/.test(text);
  if (!isSingleWord(sandbox) || !isSingleWord(live) || sandbox === live)
    throw new Error("ACCOUNTS_SANDBOX_AUDIENCE and ACCOUNTS_LIVE_AUDIENCE must be two different words.");
  return { sandbox, live };
}

function proxiesIn(text: string): Proxies {
  try {
    return parseProxies(text);
  } catch (cause) {
    const form = "a comma-separated list of networks, such as 10.0.0.0/8";
    throw new Error(`ACCOUNTS_TRUSTED_PROXIES must be ${form}.`, { cause });
  }
}

/** The URLs become part of the content security policy, so only origins are allowed. */
function gatewaysIn(urls: Readonly<Record<PortalGateway["environment"], string>>): readonly PortalGateway[] {
  const environments = ["sandbox", "live"] as const;
  return environments
    .filter((environment) => urls[environment] !== "")
    .map((environment) => {
      const url = urls[environment];
      if (URL.parse(url)?.origin !== url)
        throw new Error(
          `ACCOUNTS_${environment.toUpperCase()}_URL must be the URL of a gateway, such as https://pay.example.`,
        );
      return { environment, url };
    });
}
