import { readFileSync } from "node:fs";
import { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import type { Ready } from "../running-file.ts";

/** A client of the gateway that runs here. */
export function createClient(ready: Ready): Tollgate {
  const { clientId, keyVersion, baseUrl } = ready;
  const privateKey = readFileSync(ready.merchantPrivateKeyFile, "utf8");
  const gatewayPublicKeys = readFileSync(ready.gatewayPublicKeyFile, "utf8");
  return new Tollgate({ clientId, keyVersion, baseUrl, privateKey, gatewayPublicKeys });
}

/** The control interface of the sandbox provider: the buyer's actions, and faults. */
export function createControl(ready: Ready): (command: string, body?: object) => Promise<unknown> {
  return async (command, body = {}) => {
    const response = await fetch(`${ready.walletUrl}/control/${command}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ready.controlSecret}` },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { readonly problem?: string };
    if (!response.ok) throw new Error(answer.problem ?? `The provider answered ${response.status}.`);
    return answer;
  };
}
