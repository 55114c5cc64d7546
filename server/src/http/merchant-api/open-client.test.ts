import assert from "node:assert/strict";
import { createHash, createPublicKey, randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { Client } from "pg";
import { newBrowserKey, merchantWithKey, type BrowserKey } from "../../../test/start/test-browser-key.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  isResponseSigned,
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  type ReceivedAnswer,
} from "../../../test/start/test-gateway.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
} from "../../../test/start/test-console.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const [serving, other] = [await start(), await start()];
const { url } = serving;
const key = await newBrowserKey();

async function start(): ReturnType<typeof serve> {
  const started = await serve(readSettings({ ...variables, ...consoleVariables }));
  after(() => started.stop());
  return started;
}

/** New client ids, in the form that the accounts service generates. */
const newId = (): string => `SANDBOX_${randomBytes(12).toString("hex").toUpperCase()}`;

async function keyFields(clientId: string, sent: BrowserKey = key): Promise<object> {
  return { publicKey: sent.publicKey, proof: await sent.proofFor("sandbox", clientId) };
}

interface OpenOptions {
  readonly name?: string;
  readonly organisation?: string;
  readonly sent?: BrowserKey;
  readonly fields?: object;
}

async function open(
  clientId: string,
  { name = "Coffee Lab", organisation = "org_1", sent = key, fields }: OpenOptions = {},
): Promise<ReceivedAnswer> {
  const request = { name, ...(await keyFields(clientId, sent)), ...fields };
  const token = personToken({ clientIds: [clientId], organisation });
  return requestConsole(url, "acts/openClient", { token, body: { request } });
}

function act(name: string, clientId: string, request: object): Promise<ReceivedAnswer> {
  const token = personToken({ clientIds: [clientId] });
  return requestConsole(url, `acts/${name}`, { token, body: { request, reason: "Rotation." } });
}

function resultTextOf({ json }: ReceivedAnswer): string {
  return `${json.result["resultCode"]} ${json.result["resultField"]} ${json.result["resultMessage"]}`;
}

const rowsOf = (table: string, clientId: string): Promise<readonly Record<string, unknown>[]> =>
  asSuperuser(
    `select * from ${table} where ${table === "audit" ? "about_client" : "client_id"} = $1 order by 1, 2, 3`,
    [clientId],
    database.superuserUrl,
  );

const inquire = (at: string, ...[system]: [Parameters<typeof call>[1]]): Promise<ReceivedAnswer> =>
  call(at, system, { path: pathOf("sandbox", inquiryPath), body: '{"paymentRequestId":"none"}' });

test("a person opens the client named in the token, and its system may call every process at once", async () => {
  const clientId = newId();
  const opened = await open(clientId);
  assert.equal(resultCodeOf(opened), "SUCCESS", opened.text);
  const { gatewayPublicKey, ...rest } = opened.json;
  const { result: _, ...fields } = rest;
  assert.deepEqual(fields, { clientId, name: "Coffee Lab", keyVersion: 1, gatewayKeyVersion: 1 });
  assert.equal(createPublicKey(String(gatewayPublicKey)).asymmetricKeyType, "rsa");
  const system = merchantWithKey(key, {
    clientId,
    keyVersion: 1,
    gatewayPublicKey: String(gatewayPublicKey),
  });
  for (const at of [url, other.url]) {
    const answer = await inquire(at, system);
    assert.equal(resultCodeOf(answer), "ORDER_NOT_EXIST");
    assert.ok(isResponseSigned(answer, pathOf("sandbox", inquiryPath), system.gatewayPublicKey));
  }
});

test("the audit log has one row with the person and the key of the new client, and no other changes", async () => {
  const clientId = newId();
  const token = personToken({ clientIds: [clientId], sub: "per_ada" });
  const request = { name: "Coffee Lab", ...(await keyFields(clientId)) };
  await requestConsole(url, "acts/openClient", { token, body: { request, reason: "Our new shop." } });
  await open(clientId);
  const rows = await rowsOf("audit", clientId);
  assert.equal(rows.length, 1);
  const [{ actor_kind, actor, role, act: what, subject, reason, after: became } = {}] = rows;
  assert.deepEqual(
    { actor_kind, actor, role, what, subject, reason },
    {
      actor_kind: "person",
      actor: "per_ada",
      role: "owner",
      what: "tollgate/openClient",
      subject: clientId,
      reason: "Our new shop.",
    },
  );
  const { keySha256, ...fields } = became as Record<string, unknown>;
  assert.match(String(keySha256), /^[0-9a-f]{64}$/);
  assert.deepEqual(fields, {
    name: "Coffee Lab",
    organisation: "org_1",
    keyVersion: 1,
    gatewayKeyVersion: 1,
  });
});

test("the same request again returns the same response, also ten concurrent ones; there is one client and one key", async () => {
  const clientId = newId();
  const answers = await Promise.all(Array.from({ length: 10 }, () => open(clientId)));
  assert.deepEqual([...new Set(answers.map(({ text }) => text))], [answers[0]?.text]);
  assert.equal(resultCodeOf(await open(clientId)), "SUCCESS");
  assert.equal((await rowsOf("client_keys", clientId)).length, 1);
  assert.equal((await rowsOf("audit", clientId)).length, 1);
});

test("an open client cannot be opened with another key or name, nor by another organisation", async () => {
  const clientId = newId();
  await open(clientId);
  const [before, keysBefore] = [await rowsOf("clients", clientId), await rowsOf("client_keys", clientId)];
  const another = await open(clientId, { sent: await newBrowserKey() });
  assert.match(resultTextOf(another), /^REPEAT_REQ_INCONSISTENT .*addKey/);
  assert.equal(resultCodeOf(await open(clientId, { name: "Tea Lab" })), "REPEAT_REQ_INCONSISTENT");
  assert.equal(resultCodeOf(await open(clientId, { organisation: "org_2" })), "ACCESS_DENIED");
  assert.deepEqual(await rowsOf("clients", clientId), before);
  assert.deepEqual(await rowsOf("client_keys", clientId), keysBefore);
});

test("a client that an operator created cannot be opened by a person", async () => {
  const { clientId } = await newMerchant(database, "By command");
  assert.match(
    resultTextOf(await open(clientId, { name: "By command" })),
    /^ACCESS_DENIED .*your organisation/,
  );
});

const otherForms = {
  "of live": randomBytes(12).toString("hex").toUpperCase(),
  "of a universe": "SANDBOX_U1_ABCDEF012345",
  "that is malformed": "SANDBOX_it's",
};

for (const [what, clientId] of Object.entries(otherForms)) {
  test(`an id ${what} is rejected in the sandbox, even if the token contains it`, async () => {
    assert.match(
      resultTextOf(await open(clientId)),
      /^PARAM_ILLEGAL client-id This is no client id of sandbox/,
    );
    assert.deepEqual(await rowsOf("clients", clientId), []);
  });
}

test("only the client in the token can be opened, and no other act runs without a client", async () => {
  const [own, foreign] = [newId(), newId()];
  const body = { request: { name: "Coffee Lab", ...(await keyFields(foreign)) } };
  const headers = { "client-id": foreign };
  const token = personToken({ clientIds: [own] });
  assert.equal(
    resultCodeOf(await requestConsole(url, "acts/openClient", { token, body, headers })),
    "UNKNOWN_CLIENT",
  );
  const staff = personToken({ role: "staff-admin" });
  assert.equal(
    resultCodeOf(await requestConsole(url, "acts/openClient", { token: staff, body, headers })),
    "ORIGIN_NOT_ALLOWED",
  );
  assert.equal(resultCodeOf(await act("addKey", own, await keyFields(own))), "UNKNOWN_CLIENT");
  assert.equal(resultCodeOf(await act("revokeKey", own, { keyVersion: 1 })), "UNKNOWN_CLIENT");
  assert.equal(resultCodeOf(await requestConsole(url, "views/keys", { token })), "UNKNOWN_CLIENT");
});

test("a key needs a proof of possession for this client, this environment and this key", async () => {
  const [clientId, third] = [newId(), await newBrowserKey()];
  const proofs = {
    "for another client": await key.proofFor("sandbox", newId()),
    "for the other environment": await key.proofFor("live", clientId),
    "by another key": await third.proofFor("sandbox", clientId),
    "that is no signature": "bm90aGluZw==",
  };
  for (const [what, proof] of Object.entries(proofs))
    assert.match(resultTextOf(await open(clientId, { fields: { proof } })), /^PARAM_ILLEGAL proof/, what);
  assert.deepEqual(await rowsOf("clients", clientId), []);
  await open(clientId);
  const stolen = { publicKey: third.publicKey, proof: proofs["for another client"] };
  assert.match(resultTextOf(await act("addKey", clientId, stolen)), /^PARAM_ILLEGAL proof/);
  assert.equal((await rowsOf("client_keys", clientId)).length, 1);
});

test("a key that is too short, or private, is rejected with an explanation", async () => {
  const clientId = newId();
  const short = await open(clientId, { sent: await newBrowserKey(1024) });
  assert.match(resultTextOf(short), /^PARAM_ILLEGAL publicKey The key has 1024 bits/);
  const pem = String(key.privateKey.export({ type: "pkcs8", format: "pem" }));
  const leaked = await open(clientId, { fields: { publicKey: pem } });
  assert.match(resultTextOf(leaked), /^PARAM_ILLEGAL publicKey This is a private key/);
  assert.ok(!leaked.text.includes(pem.slice(40, 80)));
});

test("an added key works next to the old one, and every process rejects a revoked key within a second", async () => {
  const [clientId, second] = [newId(), await newBrowserKey()];
  const opened = await open(clientId);
  const gatewayPublicKey = String(opened.json["gatewayPublicKey"]);
  const system = merchantWithKey(key, { clientId, keyVersion: 1, gatewayPublicKey });
  const next = merchantWithKey(second, { clientId, keyVersion: 2, gatewayPublicKey });
  for (const at of [url, other.url]) assert.equal(resultCodeOf(await inquire(at, system)), "ORDER_NOT_EXIST");

  const added = await act("addKey", clientId, await keyFields(clientId, second));
  assert.equal(added.json["keyVersion"], 2, added.text);
  const again = await act("addKey", clientId, await keyFields(clientId, second));
  assert.equal(again.json["keyVersion"], 2);
  for (const at of [url, other.url])
    for (const each of [system, next]) assert.equal(resultCodeOf(await inquire(at, each)), "ORDER_NOT_EXIST");

  const revoked = await act("revokeKey", clientId, { keyVersion: 1 });
  assert.equal(revoked.json["liveKeys"], 1, revoked.text);
  for (const at of [url, other.url]) {
    await eventually(
      1_000,
      () => inquire(at, system),
      (answer) => resultCodeOf(answer) === "KEY_NOT_FOUND",
    );
    assert.equal(resultCodeOf(await inquire(at, next)), "ORDER_NOT_EXIST");
  }
  const repeated = await act("revokeKey", clientId, { keyVersion: 1 });
  assert.equal(repeated.json["revokedTime"], revoked.json["revokedTime"]);
  assert.equal(resultCodeOf(await act("revokeKey", clientId, { keyVersion: 9 })), "KEY_NOT_FOUND");
  const back = await act("addKey", clientId, await keyFields(clientId));
  assert.match(resultTextOf(back), /^PARAM_ILLEGAL publicKey This key was revoked/);

  const [, ...audited] = await rowsOf("audit", clientId);
  const keySha256 = createHash("sha256").update(second.publicKey, "base64").digest("hex");
  assert.deepEqual(
    audited.map(({ act: what, reason, after: became }) => [what, reason, became]),
    [
      ["tollgate/addKey", "Rotation.", { version: 2, keySha256 }],
      ["tollgate/revokeKey", "Rotation.", { version: 1, revoked: true }],
    ],
  );
});

test("keys that are added concurrently get different versions", async () => {
  const clientId = newId();
  await open(clientId);
  const keys = await Promise.all(Array.from({ length: 4 }, () => newBrowserKey()));
  const added = await Promise.all(
    keys.map(async (each) => act("addKey", clientId, await keyFields(clientId, each))),
  );
  const versions = added.map(({ json }) => Number(json["keyVersion"]));
  assert.deepEqual(
    versions.toSorted((one, another) => one - another),
    [2, 3, 4, 5],
  );
});

test("a person sets the webhook address; people and audit log do not see its query", async () => {
  const clientId = newId();
  await open(clientId);
  const notifyUrls = [{ notificationKind: "notifyRefund", url: "https://shop.example/refunds?secret=1" }];
  const set = await act("changeEndpoints", clientId, { notifyUrls });
  assert.equal(resultCodeOf(set), "SUCCESS", set.text);
  const token = personToken({ clientIds: [clientId], role: "support", stepUpAt: undefined });
  const seen = await requestConsole(url, "views/endpoints", { token });
  assert.deepEqual(seen.json["endpoints"], [
    { notificationKind: "notifyRefund", url: "https://shop.example/refunds", isCut: true },
  ]);
  for (const { text } of [set, seen]) assert.ok(!text.includes("secret=1"), text);
  const [stored] = await rowsOf("notify_urls", clientId);
  assert.equal(stored?.["url"], notifyUrls[0]?.url);
  const [, row] = await rowsOf("audit", clientId);
  assert.equal(row?.["act"], "tollgate/changeEndpoints");
  assert.equal(row["subject"], clientId);
  assert.ok(!JSON.stringify(row["after"]).includes("secret=1"));
});

test("a suspended client is not opened again", async () => {
  const clientId = newId();
  await open(clientId);
  const suspend = "update clients set status = 'SUSPENDED' where client_id = $1";
  await asSuperuser(suspend, [clientId], database.superuserUrl);
  await eventually(
    1_000,
    () => open(clientId),
    (answer) => resultCodeOf(answer) === "INVALID_CLIENT_STATUS",
  );
});

test("live opens only ids of its own form, with a proof for live", async () => {
  const live = await prepareTestGateway("live");
  const started = await serve(readSettings({ ...live.variables, ...consoleVariables }));
  after(() => started.stop());
  const openAt = async (clientId: string, environment: string): Promise<string> => {
    const proof = await key.proofFor(environment, clientId);
    const body = { request: { name: "Coffee Lab", publicKey: key.publicKey, proof } };
    const token = personToken({ aud: "live", clientIds: [clientId] });
    return resultTextOf(await requestConsole(started.url, "acts/openClient", { token, body }));
  };
  const clientId = randomBytes(12).toString("hex").toUpperCase();
  assert.match(await openAt(newId(), "live"), /^PARAM_ILLEGAL client-id This is no client id of live/);
  assert.match(await openAt(clientId, "sandbox"), /^PARAM_ILLEGAL proof/);
  assert.match(await openAt(clientId, "live"), /^SUCCESS/);
});

test("the database restricts a process to changing the client of its transaction (row-level security)", async () => {
  const [own, foreign, universe] = [newId(), newId(), "SANDBOX_U1_ABCDEF012345"];
  await open(foreign);
  const login = new Client({ connectionString: database.appUrl });
  await login.connect();
  const inScope = async (scope: readonly string[], statement: string, id: string): Promise<string> => {
    await login.query("begin");
    await login.query("select set_config('app.clients', $1::text[]::text, true)", [scope]);
    const ran = await login.query(statement, [id]).then(
      () => "done",
      ({ message }: Error) => message,
    );
    await login.query("rollback");
    return ran;
  };
  try {
    const opening = "select open_client($1, 'A shop', '\\x00', 'org_1')";
    assert.equal(await inScope([own], opening, own), "done");
    for (const statement of [
      opening,
      "select add_client_key($1, 2, '\\x00')",
      "select revoke_client_key($1, 1)",
    ]) {
      assert.match(await inScope([own], statement, foreign), /may not change/, statement);
      assert.match(await inScope([], statement, foreign), /may not change/, statement);
      assert.match(await inScope([universe], statement, universe), /may not change/, statement);
    }
    for (const statement of [
      "insert into client_keys (bucket, client_id, version, public_key) values (bucket_of($1), $1, 2, '')",
      "update client_keys set revoked_at = now() where client_id = $1",
      "update clients set organisation = 'org_2' where client_id = $1",
    ])
      assert.match(await inScope([foreign], statement, foreign), /permission denied/, statement);
  } finally {
    await login.end();
  }
});

test("merchants' systems cannot open clients or change keys: a stolen key cannot register another", async () => {
  const merchant = await newMerchant(database, "Signs");
  for (const name of ["openClient", "addKey", "revokeKey"]) {
    const answer = await call(url, merchant, { path: pathOf("sandbox", `tollgate/${name}`), body: "{}" });
    assert.equal(resultCodeOf(answer), "NO_INTERFACE_DEF", name);
  }
});
