import { basename, dirname, join } from "node:path";
import type { RunningTollgate } from "../../../clients/typescript/src/start-tollgate.ts";
import { examplesFolder } from "./programs.ts";

/**
 * The address and the keys that a caller of the gateway needs. The names are an interface: other programs
 * read them.
 */
export interface Ready extends RunningTollgate {
  readonly shopUrl: string;
  /** The page that takes test cards; buyers come to it by checkout. */
  readonly cardUrl: string;
  /** The till's page; for this machine only, because whoever reaches it can give money back. */
  readonly tillUrl: string;
  readonly docsUrl: string;
  /** The portal, by the link that lets the developer in; absent where it is not built. */
  readonly portalUrl?: string;
  /** The operator's console, in the same way. */
  readonly operatorUrl?: string;
  /** The API of the operator console, by `serve-staff`; absent where the portal is not built. */
  readonly staffUrl?: string;
  /** Metrics of `serve` and `work`, for Prometheus. */
  readonly serveMetricsUrl: string;
  readonly workMetricsUrl: string;
  readonly effectsFile: string;
  readonly httpsBaseUrl?: string;
  readonly certificateFile?: string;
}

/** Where a Tollgate is kept, and where the settings for programs are. */
export interface Home {
  readonly folder: string;
  readonly envFile: string;
  /** There was a .env that is not ours. */
  readonly hasOtherEnv: boolean;
  /** Whether a .gitignore keeps the settings, which have a secret, out of commits. */
  readonly isIgnoredByGit: boolean;
}

/** The same for people, with the way to a first payment. */
export function welcome(ready: Ready, home?: Home, hasKeys = false): string {
  const https = ready.httpsBaseUrl ? `\n            ${ready.httpsBaseUrl}, ${ready.certificateFile}` : "";
  const portal = ready.portalUrl ? `\n  portal    ${ready.portalUrl}` : "";
  const operator = ready.operatorUrl ? `\n  operator  ${ready.operatorUrl}` : "";
  const lines = `
  Tollgate is up. ${home ? "It stays as it is, also when Ctrl-C stops it" : "Everything is real, and everything is gone when you press Ctrl-C"}.

  gateway   ${ready.baseUrl}${https}
  docs      ${ready.docsUrl}${portal}${operator}
  shop      ${ready.shopUrl}
  till      ${ready.tillUrl}, beside the wallet ${ready.tillUrl}/side
  wallet    ${ready.walletUrl}
  cards     ${ready.cardUrl}, where buyers type test cards
  metrics   ${ready.serveMetricsUrl}, ${ready.workMetricsUrl}
  client    ${ready.clientId}, key version ${ready.keyVersion}
  keys      ${ready.merchantPrivateKeyFile}
            ${ready.gatewayPublicKeyFile}
`;
  const portalKey = ready.portalUrl ? " w opens the portal," : "";
  const keys = hasKeys
    ? `\n\n  Keys: p pays, a approves, r gives back,${portalKey} ? lists them all, q quits.`
    : "";
  return `${lines}${lanNote(ready)}${home ? nextAtHome(home) : nextAnywhere(ready)}${keys}\n\n`;
}

/** Loud, because the default is that nobody else reaches it. */
function lanNote({ shopUrl }: Ready): string {
  if (new URL(shopUrl).hostname === "127.0.0.1") return "";
  return `
  OPEN TO YOUR NETWORK: whoever is in it can reach gateway, wallet, shop and stickers, see the orders and pay them.
  End it when you are done. On the phone open ${shopUrl}, or scan the code of a payment's page.
`;
}

const secretNote = "\n            IT HAS A SECRET, and git would commit it: add the line .env to .gitignore";

/** For a Tollgate that stays: the other commands find it by its folder. */
function nextAtHome({ folder, envFile, hasOtherEnv, isIgnoredByGit }: Home): string {
  const where = basename(folder) === ".tollgate" ? "" : ` --folder ${quoted(folder)}`;
  return `  settings  ${envFile}, as the client libraries read them${hasOtherEnv ? "; your own .env is as it was" : ""}${isIgnoredByGit ? "" : secretNote}
  kept in   ${folder}

  First payment, from another terminal in this folder; then open the page, or approve it as it says:

    npx --no tollgate pay${where}`;
}

/** For one that does not: a command that works wherever it is pasted. */
function nextAnywhere(ready: Ready): string {
  const envFile = join(dirname(ready.merchantPrivateKeyFile), ".env");
  return `
  First payment, from another terminal; then open the normalUrl that it prints, and pay:

    set -a; . ${quoted(envFile)}; set +a
    ${quoted(join(examplesFolder, "pay.sh"))}`;
}

type Variables = Readonly<Record<string, string>>;

/** The same for the examples, as environment variables. */
export function exampleVariables(ready: Ready): Variables {
  return {
    BASE_URL: ready.baseUrl,
    CLIENT_ID: ready.clientId,
    PRIVATE_KEY_FILE: ready.merchantPrivateKeyFile,
    GATEWAY_PUBLIC_KEY_FILE: ready.gatewayPublicKeyFile,
    KEY_VERSION: String(ready.keyVersion),
    WALLET_URL: ready.walletUrl,
    CONTROL_SECRET: ready.controlSecret,
    SHOP_URL: ready.shopUrl,
  };
}

/** Quoted for a shell. */
function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
