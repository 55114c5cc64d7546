import { fileURLToPath } from "node:url";

/** What somebody who wants to call the gateway has to know. The names are an entry point: others read them. */
export interface Ready {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly keyVersion: number;
  readonly merchantPrivateKeyFile: string;
  readonly gatewayPublicKeyFile: string;
  readonly walletUrl: string;
  readonly controlSecret: string;
  readonly docsUrl: string;
  readonly effectsFile: string;
  readonly httpsBaseUrl?: string;
  readonly certificateFile?: string;
}

const examples = fileURLToPath(new URL("../examples/curl/", import.meta.url));

/** The same for people, with a command that works wherever it is pasted. */
export function welcome(ready: Ready): string {
  const https = ready.httpsBaseUrl ? `\n            ${ready.httpsBaseUrl}, ${ready.certificateFile}` : "";
  const given = Object.entries(caller(ready)).map(([name, value]) => `${name}=${quoted(value)}`);
  return `
  Tollgate is up. Everything is real, and everything is gone when you press Ctrl-C.

  gateway   ${ready.baseUrl}${https}
  docs      ${ready.docsUrl}
  wallet    ${ready.walletUrl}
  client    ${ready.clientId}, key version ${ready.keyVersion}
  keys      ${ready.merchantPrivateKeyFile}
            ${ready.gatewayPublicKeyFile}

  First payment, from another terminal; then open the normalUrl that it prints, and pay:

    ${[...given, quoted(`${examples}pay.sh`)].join(" \\\n    ")}

`;
}

type Variables = Readonly<Record<string, string>>;

/** The same for the examples, which read it from their environment. */
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

/** As a shell reads it back. */
function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
