import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import {
  addConnector,
  changeConnector,
  findConnector,
  pinConnectorGatewayKey,
} from "../operators/providers/connector-settings.ts";
import { findMerchantKeys, merchantKeysTable } from "../operators/merchants/merchant-keys.ts";
import { addGatewayKey } from "../operators/providers/manage-gateway-keys.ts";
import { addMerchantKey, revokeMerchantKey, pinMerchantGatewayKey } from "../operators/merchants/merchant.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import {
  isResponseSigned,
  call,
  newKeyPair,
  newMerchant,
  pathOf,
  startTestGateway,
  writeTestFile,
  type ReceivedAnswer,
  type TestMerchant,
} from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";

const { url, database, variables } = await startTestGateway("sandbox");
const operator = { url: database.ownerUrl, environment: database.environment };
const merchant = await newMerchant(database);
const neighbour = await newMerchant(database, "Flower Lab");
await addGatewayKey(database.ownerUrl, "sandbox", variables["TOLLGATE_KEY_FILE"] ?? "");

const movePath = pathOf("sandbox", "tollgate/useGatewayKey");
const usePath = pathOf("sandbox", "tollgate/inquiryKeyUse");

function ask(from: TestMerchant, path: string, body: object = {}): Promise<ReceivedAnswer> {
  return call(url, from, { path, body: JSON.stringify(body) });
}

function versionOf({ headers }: ReceivedAnswer): number {
  return Number(/keyVersion=(\d+)/.exec(headers["signature"] ?? "")?.[1]);
}

interface ListedUse {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
  readonly gatewayKeys: readonly Readonly<Record<string, unknown>>[];
}

async function findUse(from: TestMerchant): Promise<ListedUse> {
  return (await ask(from, usePath)).json as unknown as ListedUse;
}

/** The gateway's public keys by version, as the merchant receives them. */
async function publicKeys(from: TestMerchant): Promise<ReadonlyMap<number, KeyObject>> {
  const { json } = await ask(from, movePath);
  const versions = json["versions"] as readonly { keyVersion: number; publicKey: string }[];
  return new Map(versions.map(({ keyVersion, publicKey }) => [keyVersion, createPublicKey(publicKey)]));
}

test("a merchant gets the gateway's keys before it is pinned to a new one, in a response that it can verify", async () => {
  const answer = await ask(merchant, movePath);
  assert.equal(answer.json["keyVersion"], 1);
  assert.ok(isResponseSigned(answer, movePath, merchant.gatewayPublicKey));
  assert.equal(createPublicKey(String(answer.json["publicKey"])).equals(merchant.gatewayPublicKey), true);
  assert.deepEqual([...(await publicKeys(merchant)).keys()], [1, 2]);
});

test("the response to the pinning request is signed with the old key, and later ones with the new key", async () => {
  const keys = await publicKeys(merchant);
  const moving = await ask(merchant, movePath, { keyVersion: 2 });
  assert.equal(moving.json["keyVersion"], 2);
  assert.equal(versionOf(moving), 1);
  assert.ok(isResponseSigned(moving, movePath, merchant.gatewayPublicKey));

  const moved = await eventually(
    1_000,
    () => ask(merchant, movePath),
    (answer) => versionOf(answer) === 2,
  );
  assert.ok(isResponseSigned(moved, movePath, keys.get(2) ?? assert.fail()));
  assert.equal(versionOf(await ask(neighbour, movePath)), 1);
});

test("a merchant can go back, and a repeat changes nothing", async () => {
  for (const _ of [1, 2])
    assert.equal((await ask(merchant, movePath, { keyVersion: 1 })).json["keyVersion"], 1);
  assert.equal((await ask(merchant, movePath)).json["keyVersion"], 1);
});

test("an unknown key version is rejected, and the merchant keeps its pinned key", async () => {
  for (const keyVersion of [3, 0, -1, 2_147_483_648, "next"]) {
    const { json } = await ask(merchant, movePath, { keyVersion });
    assert.equal(json.result["resultCode"], "PARAM_ILLEGAL", String(keyVersion));
  }
  assert.equal((await ask(merchant, movePath)).json["keyVersion"], 1);
});

test("the serving role can change the pinned key of its merchant, and no other column", async () => {
  const asApp = (set: string, served: string): Promise<readonly object[]> => {
    const app = new URL(database.appUrl);
    app.searchParams.set("options", `-c app.clients={${served}}`);
    return asSuperuser(`update clients set ${set} returning client_id`, [], app.href);
  };
  const { clientId } = merchant;
  for (const column of ["status", "name", "fee_basis_points", "rate_per_second", "revision", "client_id"])
    await assert.rejects(asApp(`${column} = ${column}`, clientId), { code: "42501" }, column);
  assert.deepEqual(await asApp("gateway_key_version = 1", clientId), [{ client_id: clientId }]);
  await assert.rejects(asApp("gateway_key_version = 3", clientId), { code: "23503" });
});

test("an operator pins a merchant to a key; an unknown key or merchant is rejected", async () => {
  await pinMerchantGatewayKey(operator, neighbour.clientId, 2);
  await eventually(
    1_000,
    () => ask(neighbour, movePath),
    (answer) => versionOf(answer) === 2,
  );
  await assert.rejects(pinMerchantGatewayKey(operator, neighbour.clientId, 3), {
    message: "There is no gateway key of version 3. Versions: 1, 2.",
  });
  await assert.rejects(pinMerchantGatewayKey(operator, "SANDBOX_NOBODY", 1), /There is no client/);
});

test("requests to a provider are signed with its pinned key, until an operator changes it", async () => {
  const { publicKeyFile } = merchant;
  const provider = { name: "w", url: "http://w.example", partnerId: "p", publicKeyFile };
  const add = (): Promise<void> =>
    addConnector(database.ownerUrl, "sandbox", { ...provider, paymentMethodTypes: ["*"], simulator: true });
  const pinned = (): Promise<readonly object[]> =>
    asSuperuser("select gateway_key_version from connectors", [], database.superuserUrl);

  await add();
  assert.deepEqual(await pinned(), [{ gateway_key_version: 2 }]);
  await pinConnectorGatewayKey(database.ownerUrl, "sandbox", { name: "w", version: 1 });
  await add();
  assert.deepEqual(await pinned(), [{ gateway_key_version: 1 }]);
  const unknown = { name: "w", version: 3 };
  await assert.rejects(
    pinConnectorGatewayKey(database.ownerUrl, "sandbox", unknown),
    /no gateway key of version 3/,
  );
  const unknownKey = { name: "nobody", version: 1 };
  await assert.rejects(
    pinConnectorGatewayKey(database.ownerUrl, "sandbox", unknownKey),
    /There is no connector nobody/,
  );
});

test("a provider's own key decides the algorithm of both sides, and a version without it is rejected", async () => {
  const pem = generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" }).toString();
  const edwardsFile = writeTestFile("edwards.pem", pem);
  const provider = {
    name: "moving",
    url: "http://w.example",
    partnerId: "p",
    publicKeyFile: merchant.publicKeyFile,
  };
  const at = { url: database.ownerUrl, environment: "sandbox" } as const;
  await addConnector(at.url, "sandbox", { ...provider, paymentMethodTypes: ["M"], simulator: true });
  const { before, after } = await changeConnector(at, "moving", { publicKeyFile: edwardsFile, terms: {} });
  assert.deepEqual([before.algorithm, after.algorithm], ["RSA256", "Ed25519"]);
  assert.equal(after.gatewayKeyVersion, before.gatewayKeyVersion);

  // A version without an Ed25519 pair.
  await asSuperuser(
    "update gateway_keys set ed25519_public_key = null, wrapped_ed25519_private_key = null where version = 1",
    [],
    database.superuserUrl,
  );
  const old = {
    message: "Gateway key 1 has no pair of Ed25519; `gateway-key add` makes a version that has one.",
  };
  await assert.rejects(pinConnectorGatewayKey(at.url, "sandbox", { name: "moving", version: 1 }), old);
  await changeConnector(at, "moving", { publicKeyFile: merchant.publicKeyFile, terms: {} });
  await pinConnectorGatewayKey(at.url, "sandbox", { name: "moving", version: 1 });
  await assert.rejects(changeConnector(at, "moving", { publicKeyFile: edwardsFile, terms: {} }), old);
  assert.equal((await findConnector(at, "moving")).algorithm, "RSA256");
});

test("a merchant sees the uses of each key, and which of its own can be revoked", async () => {
  const shop = await newMerchant(database, "Book Lab");
  await pinMerchantGatewayKey(operator, shop.clientId, 1);
  const { privateKey, publicKeyFile } = await newKeyPair("next");
  const keyVersion = await addMerchantKey(operator, shop.clientId, { publicKeyFile, proofFile: undefined });
  const moved = { ...shop, privateKey, keyVersion };
  for (const from of [shop, shop, moved]) await ask(from, movePath);
  // A rejected request counts as a use of its key, too.
  await ask(moved, movePath, { keyVersion: 9 });

  const { keys, gatewayKeys } = await eventually(
    5_000,
    () => findUse(moved),
    (use) => Number(use.gatewayKeys[0]?.["answers"]) >= 4,
  );
  const live = { keyStatus: "LIVE", isSafeToRevoke: false };
  const used = "It signed a request within the last 24 hours.";
  assert.partialDeepStrictEqual(keys[0], { keyVersion: 1, requests: 2, ...live, reason: used });
  assert.partialDeepStrictEqual(keys[1], { keyVersion: 2, ...live });
  assert.partialDeepStrictEqual(gatewayKeys, [
    { keyVersion: 1, isPinned: true, notificationAttempts: 0 },
    { keyVersion: 2, isPinned: false, answers: 0 },
  ]);

  // The test moves the uses of the old key back by a day; the new key was in use meanwhile.
  await asSuperuser(
    `update key_uses set first_at = first_at - interval '25 hours', last_at = last_at - interval '25 hours', day = day - 1
     where client_id = $1 and signed = 'REQUEST' and version = 1`,
    [shop.clientId],
    database.superuserUrl,
  );
  const [old, next] = (await findUse(moved)).keys;
  assert.equal(old?.["isSafeToRevoke"], true);
  assert.equal(next?.["isSafeToRevoke"], false);
  const table = merchantKeysTable(await findMerchantKeys(operator, shop.clientId));
  assert.match(table, /^1 +live .* SAFE: It signed nothing for 24 hours, and version 2 did\.$/m);
  assert.match(table, /^2 +live .* no: It signed a request within the last 24 hours\.$/m);
  assert.match(table, /^1 +pinned /m);

  await revokeMerchantKey(operator, shop.clientId, 1);
  assert.partialDeepStrictEqual((await findUse(moved)).keys[0], {
    keyStatus: "REVOKED",
    reason: "It is revoked.",
  });
});

test("the report of an unknown client is rejected", async () => {
  await assert.rejects(findMerchantKeys(operator, "SANDBOX_NOBODY"), {
    message: "There is no client SANDBOX_NOBODY.",
  });
});
