import { resolve } from "node:path";
import { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import { findRunning } from "../running-file.ts";
import { readTextFile } from "./read-file.ts";

/** A gateway that commands can call, and the sandbox provider if there is one. */
export interface ConfiguredGateway {
  readonly client: Tollgate;
  readonly caller: Caller;
  readonly walletUrl: string | undefined;
  readonly controlSecret: string | undefined;
  /** The demo shop of `tollgate dev`. */
  readonly shopUrl: string | undefined;
}

/** The signing key and the address, for requests that the client library can not send. */
export interface Caller {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly keyVersion: number;
  /** PEM or bare base64. */
  readonly privateKey: string;
  readonly gatewayPublicKey: string;
}

/**
 * Reads the environment variables of the client libraries; without them, the `tollgate dev` that runs in the folder.
 */
export async function findGateway(folder = ".tollgate"): Promise<ConfiguredGateway> {
  const configured = await findCaller(folder);
  if (!configured) {
    throw new Error(
      "No gateway is configured here. Run `tollgate dev` in this folder, in another terminal; or set TOLLGATE_BASE_URL, " +
        "TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY_FILE and TOLLGATE_GATEWAY_PUBLIC_KEY_FILE.",
    );
  }
  const { caller, walletUrl, controlSecret, shopUrl } = configured;
  const { baseUrl, clientId, keyVersion, privateKey, gatewayPublicKey } = caller;
  // An empty value is passed as undefined. The library then reads the environment, and reports a missing setting by its
  // name.
  const client = new Tollgate({
    baseUrl: baseUrl || undefined,
    clientId,
    keyVersion,
    privateKey: privateKey || undefined,
    gatewayPublicKeys: gatewayPublicKey || undefined,
  });
  return { client, caller, walletUrl, controlSecret, shopUrl };
}

/**
 * Finds the settings like `findGateway`, but does not fail if a setting is missing. Returns undefined if there are no
 * settings.
 */
export async function findCaller(
  folder = ".tollgate",
): Promise<Omit<ConfiguredGateway, "client"> | undefined> {
  const variables = process.env;
  if (variables["TOLLGATE_CLIENT_ID"]) {
    return {
      caller: {
        baseUrl: variables["TOLLGATE_BASE_URL"] ?? "",
        clientId: variables["TOLLGATE_CLIENT_ID"],
        keyVersion: Number(variables["TOLLGATE_KEY_VERSION"] || 1),
        privateKey: await readKeySetting("TOLLGATE_PRIVATE_KEY"),
        gatewayPublicKey: await readKeySetting("TOLLGATE_GATEWAY_PUBLIC_KEY"),
      },
      walletUrl: variables["TOLLGATE_WALLET_URL"],
      controlSecret: variables["TOLLGATE_CONTROL_SECRET"],
      shopUrl: variables["TOLLGATE_SHOP_URL"],
    };
  }
  const running = await findRunning(resolve(folder));
  if (!running) return undefined;
  const { clientId, keyVersion, baseUrl, walletUrl, controlSecret, shopUrl } = running;
  const privateKey = await readTextFile(running.merchantPrivateKeyFile);
  const gatewayPublicKey = await readTextFile(running.gatewayPublicKeyFile);
  return {
    caller: { baseUrl, clientId, keyVersion, privateKey, gatewayPublicKey },
    walletUrl,
    controlSecret,
    shopUrl,
  };
}

/**
 * Returns the value of the variable, or else the contents of the file that the variable with the suffix `_FILE` names.
 */
async function readKeySetting(name: string): Promise<string> {
  const file = process.env[`${name}_FILE`];
  return process.env[name] || (file ? await readTextFile(file, `${name}_FILE`) : "");
}
