import { basename, dirname, join } from "node:path";
import type { Ready } from "../running-file.ts";
import { examplesFolder } from "./programs.ts";

/** The data folder, and the file with the settings for programs. */
export interface DataFolderInfo {
  readonly folder: string;
  readonly envFile: string;
  /** Whether the folder has a .env that this program did not write. */
  readonly hasOtherEnv: boolean;
  /** Whether a .gitignore keeps the settings, which contain a secret, out of commits. */
  readonly isIgnoredByGit: boolean;
}

/** The welcome text for people, with the command for a first payment. */
export function formatWelcome(ready: Ready, home?: DataFolderInfo, hasKeys = false): string {
  const https = ready.httpsBaseUrl ? `\n            ${ready.httpsBaseUrl}, ${ready.certificateFile}` : "";
  const portal = ready.portalUrl ? `\n  portal    ${ready.portalUrl}` : "";
  const operator = ready.operatorUrl ? `\n  operator  ${ready.operatorUrl}` : "";
  const lines = `
  Tollgate is up. ${home ? "Its data are kept when Ctrl-C stops it" : "All parts are real, and Ctrl-C deletes all data"}.

  gateway   ${ready.baseUrl}${https}
  docs      ${ready.docsUrl}${portal}${operator}
  shop      ${ready.shopUrl}
  till      ${ready.tillUrl}, next to the wallet ${ready.tillUrl}/side
  wallet    ${ready.walletUrl}
  cards     ${ready.cardUrl}, where buyers enter test cards
  metrics   ${ready.serveMetricsUrl}, ${ready.workMetricsUrl}
  client    ${ready.clientId}, key version ${ready.keyVersion}
  keys      ${ready.merchantPrivateKeyFile}
            ${ready.gatewayPublicKeyFile}
`;
  const portalKey = ready.portalUrl ? " w opens the portal," : "";
  const keys = hasKeys
    ? `\n\n  Keys: p pays, a approves, r refunds,${portalKey} ? lists all keys, q quits.`
    : "";
  return `${lines}${lanNote(ready)}${home ? formatNextStepsInFolder(home) : formatNextSteps(ready)}${keys}\n\n`;
}

/** Returns a warning if the ports are open to the local network; by default only this machine can connect. */
function lanNote({ shopUrl }: Ready): string {
  if (new URL(shopUrl).hostname === "127.0.0.1") return "";
  return `
  OPEN TO YOUR NETWORK: every device in it can reach gateway, wallet, shop and stickers, and can see and pay the orders.
  Stop it when you are done. On the phone open ${shopUrl}, or scan the code of a payment's page.
`;
}

const secretNote =
  "\n            IT CONTAINS A SECRET, and git would commit it: add the line .env to .gitignore";

/** The next commands for a kept Tollgate. The other commands find a kept Tollgate by its folder. */
function formatNextStepsInFolder({ folder, envFile, hasOtherEnv, isIgnoredByGit }: DataFolderInfo): string {
  const folderOption = basename(folder) === ".tollgate" ? "" : ` --folder ${quoteForShell(folder)}`;
  return `  settings  ${envFile}, as the client libraries read them${hasOtherEnv ? "; your own .env was not changed" : ""}${isIgnoredByGit ? "" : secretNote}
  kept in   ${folder}

  First payment, from another terminal in this folder; then open the page, or approve the payment as the output says:

    npx --no tollgate pay${folderOption}`;
}

/** The next commands for an ephemeral Tollgate. They name its settings file, so that they work in any folder. */
function formatNextSteps(ready: Ready): string {
  const envFile = join(dirname(ready.merchantPrivateKeyFile), ".env");
  return `
  First payment, from another terminal; then open the normalUrl that it prints, and pay:

    set -a; . ${quoteForShell(envFile)}; set +a
    ${quoteForShell(join(examplesFolder, "pay.sh"))}`;
}

type Variables = Readonly<Record<string, string>>;

/** The settings as environment variables, for the examples. */
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
function quoteForShell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
