import { basename, join } from "node:path";
import type { RunningTollgate } from "../../../clients/typescript/src/start-tollgate.ts";
import { examplesFolder } from "./programs.ts";

/**
 * The address and the keys that a caller of the gateway needs. The names are an interface: other programs
 * read them.
 */
export interface Ready extends RunningTollgate {
  readonly docsUrl: string;
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
}

/** The same for people, with the way to a first payment. */
export function welcome(ready: Ready, home?: Home): string {
  const https = ready.httpsBaseUrl ? `\n            ${ready.httpsBaseUrl}, ${ready.certificateFile}` : "";
  const lines = `
  Tollgate is up. ${home ? "It stays as it is, also when Ctrl-C stops it" : "Everything is real, and everything is gone when you press Ctrl-C"}.

  gateway   ${ready.baseUrl}${https}
  docs      ${ready.docsUrl}
  wallet    ${ready.walletUrl}
  client    ${ready.clientId}, key version ${ready.keyVersion}
  keys      ${ready.merchantPrivateKeyFile}
            ${ready.gatewayPublicKeyFile}
`;
  return `${lines}${home ? nextAtHome(home) : nextAnywhere(ready)}\n\n`;
}

/** For a Tollgate that stays: the other commands find it by its folder. */
function nextAtHome({ folder, envFile, hasOtherEnv }: Home): string {
  const where = basename(folder) === ".tollgate" ? "" : ` --folder ${quoted(folder)}`;
  return `  settings  ${envFile}, as the client libraries read them${hasOtherEnv ? "; your own .env is as it was" : ""}
  kept in   ${folder}

  First payment, from another terminal in this folder; then open the page, or approve it as it says:

    npx tollgate pay${where}`;
}

/** For one that does not: a command that works wherever it is pasted. */
function nextAnywhere(ready: Ready): string {
  const given = Object.entries(caller(ready)).map(([name, value]) => `${name}=${quoted(value)}`);
  return `
  First payment, from another terminal; then open the normalUrl that it prints, and pay:

    ${[...given, quoted(join(examplesFolder, "pay.sh"))].join(" \\\n    ")}`;
}

type Variables = Readonly<Record<string, string>>;

/** The same for the examples, as environment variables. */
export function exampleVariables(ready: Ready): Variables {
  return {
    ...caller(ready),
    KEY_VERSION: String(ready.keyVersion),
    WALLET_URL: ready.walletUrl,
    CONTROL_SECRET: ready.controlSecret,
  };
}

function caller(ready: Ready): Variables {
  return {
    BASE_URL: ready.baseUrl,
    CLIENT_ID: ready.clientId,
    PRIVATE_KEY_FILE: ready.merchantPrivateKeyFile,
    GATEWAY_PUBLIC_KEY_FILE: ready.gatewayPublicKeyFile,
  };
}

/** Quoted for a shell. */
function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
