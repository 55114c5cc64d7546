import assert from "node:assert/strict";
import { test } from "node:test";
import { newKeyPair, newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { findAudit } from "../audit/audit-log.ts";
import { addConnector, pinConnectorGatewayKey } from "./connector-settings.ts";
import { openOperatorsSigner } from "./connector-test.ts";
import { addGatewayKey, findGatewayKeys, retireGatewayKey } from "./manage-gateway-keys.ts";
import { pinMerchantGatewayKey } from "../merchants/merchant.ts";
import { readSettings } from "../../settings/settings.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const keyFile = variables["TOLLGATE_KEY_FILE"] ?? "";
const { clientId } = await newMerchant(database);
const { publicKeyFile } = await newKeyPair("provider");
await addConnector(operator.url, "sandbox", {
  name: "gcash",
  url: "http://127.0.0.1:9",
  partnerId: "us",
  publicKeyFile,
  paymentMethodTypes: ["*"],
  simulator: true,
});

async function assertRefused(version: number, message: string): Promise<void> {
  await assert.rejects(retireGatewayKey(operator, version), { message });
}

test("a gateway key can be retired only when no merchant or connector is pinned to it", async () => {
  await assertRefused(
    1,
    "Gateway key 1 is in use: pinned to it are 1 merchants and the connectors gcash. Pin them to another key first.",
  );
  const version = await addGatewayKey(operator.url, "sandbox", keyFile);
  await pinConnectorGatewayKey(operator.url, "sandbox", { name: "gcash", version });
  await assertRefused(
    1,
    "Gateway key 1 is in use: pinned to it are 1 merchants. Pin them to another key first.",
  );
  await pinMerchantGatewayKey(operator, clientId, version);

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

test("the newest and an unknown gateway key cannot be retired, and no client can be pinned to a retired one", async () => {
  await assertRefused(7, "There is no gateway key of version 7. Versions: 2.");
  const { length } = await findAudit(operator, {}, 100);
  await assert.rejects(
    pinConnectorGatewayKey(operator.url, "sandbox", { name: "gcash", version: 1 }),
    /There is no/,
  );
  await addGatewayKey(operator.url, "sandbox", keyFile);
  await assertRefused(
    3,
    "Gateway key 3 is the newest, which new merchants and connectors use. Run `gateway-key add` first.",
  );
  assert.equal((await findAudit(operator, {}, 100)).length, length + 1, "only the addition is an act");
});
