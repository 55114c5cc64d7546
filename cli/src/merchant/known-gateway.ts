import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import { findRunning } from "../dev/lock.ts";

/** A gateway that commands can call, and the sandbox's wallet if there is one. */
export interface KnownGateway {
  readonly client: Tollgate;
  readonly walletUrl: string | undefined;
  readonly controlSecret: string | undefined;
  /** The demo shop of `tollgate dev`. */
  readonly shopUrl: string | undefined;
}

/** The environment variables of the client libraries; without them, the `tollgate dev` that runs in the folder. */
export async function findGateway(folder = ".tollgate"): Promise<KnownGateway> {
  const variables = process.env;
  if (variables["TOLLGATE_CLIENT_ID"]) {
    return {
      client: new Tollgate(),
      walletUrl: variables["TOLLGATE_WALLET_URL"],
      controlSecret: variables["TOLLGATE_CONTROL_SECRET"],
      shopUrl: variables["TOLLGATE_SHOP_URL"],
    };
  }
  const running = await findRunning(resolve(folder));
  if (!running) {
    throw new Error(
      "No gateway is known here. Run `tollgate dev` in this folder, in another terminal; or set TOLLGATE_BASE_URL, " +
        "TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY_FILE and TOLLGATE_GATEWAY_PUBLIC_KEY_FILE.",
    );
  }
  const { clientId, keyVersion, baseUrl, walletUrl, controlSecret, shopUrl } = running;
  const privateKey = await readFile(running.merchantPrivateKeyFile, "utf8");
  const gatewayPublicKeys = await readFile(running.gatewayPublicKeyFile, "utf8");
  const client = new Tollgate({ clientId, keyVersion, baseUrl, privateKey, gatewayPublicKeys });
  return { client, walletUrl, controlSecret, shopUrl };
}
