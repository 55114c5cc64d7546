import assert from "node:assert/strict";
import { test } from "node:test";
import { newKeyPair, newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { findAudit } from "./audit.ts";
import { addConnector, useConnectorKey } from "./connector.ts";
import { openOperatorsSigner } from "./connector-test.ts";
import { addGatewayKey, findGatewayKeys, retireGatewayKey } from "./gateway-key.ts";
import { useMerchantGatewayKey } from "./merchant.ts";
import { readSettings } from "./settings.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const keyFile = variables["TOLLGATE_KEY_FILE"] ?? "";
const { clientId } = await newMerchant(database);
const { publicKeyFile } = await newKeyPair("wallet");
await addConnector(operator.url, "sandbox", {
  name: "gcash",
  url: "http://127.0.0.1:9",
  partnerId: "us",
  publicKeyFile,
  paymentMethodTypes: ["*"],
  simulator: true,
});

async function refuses(version: number, message: string): Promise<void> {
  await assert.rejects(retireGatewayKey(operator, version), { message });
}

test("a gateway key is retired once nobody is pinned to it, and no sooner", async () => {
  await refuses(
    1,
    "Gateway key 1 is still in use: pinned to it are 1 merchants and the wallets gcash. Move them first.",
  );
  const version = await addGatewayKey(operator.url, "sandbox", keyFile);
  await useConnectorKey(operator.url, "sandbox", { name: "gcash", version });
  await refuses(1, "Gateway key 1 is still in use: pinned to it are 1 merchants. Move them first.");
  await useMerchantGatewayKey(operator, clientId, version);

  const signer = await openOperatorsSigner(operator, readSettings(variables));
  const [first] = await findGatewayKeys(operator);
  const parts = { method: "POST", path: "/", clientId, time: "", body: Buffer.from("{}") };
  const sign = (): Promise<Buffer> => signer.sign({ kind: "providerRequest", keyVersion: 1, parts });
  await sign();
  await retireGatewayKey(operator, 1);
  await signer.refresh();
  await assert.rejects(sign(), /There is no gateway key of version 1/);
  assert.deepEqual([...signer.publicKeys().keys()], [2]);
  const [audited] = await findAudit(operator, {}, 1);
  assert.partialDeepStrictEqual(audited, { act: "gateway-key retire", before: { version: 1 } });
  const publicKey = first?.publicKey.split("\n").slice(1, -2).join("") ?? "";
  assert.ok(JSON.stringify(audited).includes(publicKey), "the audit keeps the public half");
});

test("the newest key and one that does not exist are not retired, and nobody moves to one that is gone", async () => {
  await refuses(7, "There is no gateway key of version 7; there are: 2.");
  const { length } = await findAudit(operator, {}, 100);
  await assert.rejects(
    useConnectorKey(operator.url, "sandbox", { name: "gcash", version: 1 }),
    /There is no/,
  );
  await addGatewayKey(operator.url, "sandbox", keyFile);
  await refuses(
    3,
    "Gateway key 3 is the newest, which signs for whoever is added next: `gateway-key add` first.",
  );
  assert.equal((await findAudit(operator, {}, 100)).length, length + 1, "only the addition is an act");
});
