import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { chmod } from "node:fs/promises";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  isResponseSigned,
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  send,
  startTestGateway,
  writeTestFile,
  type TestMerchant,
} from "../../../test/start/test-gateway.ts";
import {
  closeUniverse,
  sendControlRequest,
  controlSecret,
  controlVariables,
  openUniverse,
  publicKeyText,
} from "../../../test/start/test-universe.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";

const { database, variables } = await prepareTestGateway("sandbox");

async function start(extraVariables: Readonly<Record<string, string>> = controlVariables): Promise<string> {
  const serving = await serve(readSettings({ ...variables, ...extraVariables }));
  after(() => serving.stop());
  return serving.url;
}

const [url, second] = [await start(), await start()];
const publicKey = await publicKeyText();

const inquire = (at: string, merchant: TestMerchant): ReturnType<typeof call> =>
  call(at, merchant, { path: pathOf("sandbox", inquiryPath), body: '{"paymentRequestId":"nothing"}' });

const codeOf = async (at: string, merchant: TestMerchant): Promise<string | undefined> =>
  (await inquire(at, merchant)).json.result["resultCode"];

test("one request creates a merchant whose first signed request succeeds", async () => {
  const universe = await openUniverse(url, { name: "Coffee Lab" });
  assert.match(universe.clientId, /^SANDBOX_U\d+_[0-9A-F]{12}$/);
  const answer = await inquire(url, universe);
  assert.equal(answer.json.result["resultCode"], "ORDER_NOT_EXIST");
  assert.ok(isResponseSigned(answer, pathOf("sandbox", inquiryPath), universe.gatewayPublicKey));
  const [row] = await asSuperuser<{ name: string }>(
    "select name from clients where client_id = $1",
    [universe.clientId],
    database.superuserUrl,
  );
  assert.equal(row?.name, "Coffee Lab");
});

test("the response has all that a client library needs, and must not be cached", async () => {
  const { status, headers, json } = await sendControlRequest(url, {
    body: { publicKey, lifetimeSeconds: 60 },
  });
  assert.equal(status, 201);
  assert.equal(headers.get("cache-control"), "no-store");
  const { clientId, gatewayPublicKey, closesAt, baseUrl, ...others } = json as Record<string, string>;
  assert.match(clientId ?? "", /^SANDBOX_U/);
  assert.match(gatewayPublicKey ?? "", /^-----BEGIN PUBLIC KEY-----\n/);
  assert.match(baseUrl ?? "", /^http:\/\//);
  assert.ok(Math.abs(Date.parse(closesAt ?? "") - Date.now() - 60_000) < 5_000);
  assert.deepEqual(others, { keyVersion: 1, gatewayKeyVersion: 1 });
});

test("a key may be bare base64, and a lifetime is capped at the operator's limit", async () => {
  const bare = publicKey.replaceAll(/-----[^-]+-----|\s/g, "");
  const { status, json } = await sendControlRequest(url, {
    body: { publicKey: bare, lifetimeSeconds: 2_592_000 },
  });
  assert.equal(status, 201);
  assert.ok(Math.abs(Date.parse(String(json["closesAt"])) - Date.now() - 3_600_000) < 5_000);
});

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
for (const [what, body, sentence] of [
  ["not JSON", "{", /^The body is not JSON: /],
  ["a list", "[]", /has to be a JSON object/],
  ["no key", "{}", /^publicKey is missing/],
  [
    "a private key",
    { publicKey: privateKey.export({ format: "pem", type: "pkcs8" }) },
    /This is a private key/,
  ],
  ["something else", { publicKey: "a key!" }, /^publicKey: The key is not base64/],
  ["an endless name", { publicKey, name: "x".repeat(129) }, /^name /],
  ["no lifetime", { publicKey, lifetimeSeconds: 0 }, /^lifetimeSeconds /],
  ["too much", `{"publicKey":"${"A".repeat(17_000)}"}`, /longer than 16384 bytes/],
] as const) {
  test(`a body with ${what} gets an explanation`, async () => {
    const { status, json } = await sendControlRequest(url, { body });
    assert.equal(status, 400);
    assert.match(json.problem ?? "", sentence);
  });
}

test("without the secret no isolated test merchant is opened, listed or closed", async () => {
  const universe = await openUniverse(url);
  for (const secret of ["", "Bearer", `Bearer ${controlSecret}x`, controlSecret, `bearer ${controlSecret}`]) {
    for (const request of [
      { body: { publicKey } },
      { method: "GET" },
      { method: "DELETE", path: `/${universe.clientId}` },
    ]) {
      const { status, json } = await sendControlRequest(url, { ...request, secret });
      assert.equal(status, 401, `${secret} ${request.method}`);
      assert.match(json.problem ?? "", /control secret/);
    }
  }
  const twice = { authorization: [`Bearer ${controlSecret}`, "Bearer x"] };
  const { status } = await send(url, { method: "GET", path: "/sandbox/universes", body: "", headers: twice });
  assert.equal(status, 401);
  assert.equal(await codeOf(url, universe), "ORDER_NOT_EXIST");
});

test("after the response, every process rejects a closed universe, also one with a cached client", async () => {
  const universe = await openUniverse(url);
  // After these requests both processes have the client in their caches.
  for (const at of [url, second]) assert.equal(await codeOf(at, universe), "ORDER_NOT_EXIST");
  const { status, json } = await closeUniverse(url, universe);
  assert.equal(status, 200);
  assert.equal(json["clientId"], universe.clientId);
  for (let times = 0; times < 10; times += 1) {
    for (const at of [second, url]) {
      const answer = await inquire(at, universe);
      assert.equal(answer.json.result["resultCode"], "INVALID_CLIENT_STATUS");
      assert.match(
        answer.json.result["resultHint"] ?? "",
        /^This isolated test merchant is closed permanently\./,
      );
    }
    await delay(20);
  }
  // Closing the universe again returns the same response, without a wait.
  const startedMs = performance.now();
  assert.deepEqual((await closeUniverse(second, universe)).json, json);
  assert.ok(performance.now() - startedMs < 500);
});

test("only a universe can be closed this way, not an operator's merchant or an unknown id", async () => {
  const merchant = await newMerchant(database);
  for (const clientId of [merchant.clientId, "SANDBOX_U9_000000000000", "SANDBOX_U%25", "x"]) {
    const { status, json } = await closeUniverse(url, { clientId });
    assert.equal(status, 404);
    assert.match(json.problem ?? "", /This universe does not exist/);
  }
  assert.equal(await codeOf(url, merchant), "ORDER_NOT_EXIST");
});

test("of many concurrent requests only as many get a universe as there are free places", async () => {
  const list = async (): Promise<readonly { readonly clientId: string }[]> =>
    (await sendControlRequest(url, { method: "GET" })).json["universes"] as readonly {
      readonly clientId: string;
    }[];
  const before = (await list()).length;
  await setLimits(`open_max = ${before + 5}`);
  const all = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      sendControlRequest(index % 2 ? url : second, { body: { publicKey } }),
    ),
  );
  const opened = all.filter(({ status }) => status === 201).map(({ json }) => String(json["clientId"]));
  assert.equal(opened.length, 5);
  assert.equal(new Set(opened).size, 5);
  const refused = all.filter(({ status }) => status === 429);
  assert.equal(refused.length, 35);
  assert.match(refused[0]?.json.problem ?? "", /^The limit of open or unswept universes/);
  assert.deepEqual(
    (await list())
      .slice(-5)
      .map(({ clientId }) => clientId)
      .toSorted(),
    opened.toSorted(),
  );

  const [one = ""] = opened;
  await closeUniverse(url, { clientId: one });
  assert.ok((await list()).every(({ clientId }) => clientId !== one));
  assert.equal((await sendControlRequest(url, { body: { publicKey } })).status, 201);
  assert.equal((await sendControlRequest(url, { body: { publicKey } })).status, 429);
  await setLimits("open_max = 500");
});

test("closed universes that are not swept count as well, up to their own limit", async () => {
  const [row] = await asSuperuser<{ count: number }>(
    "select count(*)::int as count from universes",
    [],
    database.superuserUrl,
  );
  await setLimits(`kept_max = ${(row?.count ?? 0) + 1}`);
  const last = await openUniverse(url);
  await closeUniverse(url, last);
  assert.equal((await sendControlRequest(url, { body: { publicKey } })).status, 429);
  await setLimits("kept_max = 20000");
});

test("an expired universe is rejected and leaves its place to the next", async () => {
  const universe = await openUniverse(url);
  assert.equal(await codeOf(second, universe), "ORDER_NOT_EXIST");
  await asSuperuser(
    "update universes set closes_at = now() - interval '1 s' where client_id = $1",
    [universe.clientId],
    database.superuserUrl,
  );
  const { json } = await sendControlRequest(url, { method: "GET" });
  assert.ok(!JSON.stringify(json).includes(universe.clientId));
  await openUniverse(url);
  await delay(950);
  assert.equal(await codeOf(second, universe), "INVALID_CLIENT_STATUS");
});

async function setLimits(change: string): Promise<void> {
  await asSuperuser(`update universe_limits set ${change}`, [], database.superuserUrl);
}

test("the id of a swept universe gets another explanation than a misspelt one", async () => {
  const merchant = { ...(await openUniverse(url)), clientId: "SANDBOX_U1_000000000000" };
  const { json } = await inquire(url, merchant);
  assert.equal(json.result["resultCode"], "UNKNOWN_CLIENT");
  assert.match(json.result["resultHint"] ?? "", /isolated test merchant no longer exists/);
});

test("a client that guesses secrets is rejected for a while, and then accepted again", async () => {
  const own = await start();
  const wrongSecretStatuses = await Promise.all(
    Array.from({ length: 150 }, (_, index) =>
      sendControlRequest(own, { method: "GET", secret: `Bearer ${index}` }).then(({ status }) => status),
    ),
  );
  assert.deepEqual(new Set(wrongSecretStatuses), new Set([401, 503]));
  const { status, headers } = await sendControlRequest(own, { method: "GET" });
  assert.deepEqual([status, headers.get("retry-after")], [503, "1"]);
  await delay(1_100);
  assert.equal((await sendControlRequest(own, { method: "GET" })).status, 200);
});

test("without the setting, and in live, universes do not exist", async () => {
  const off = await start({});
  const { status, json } = await sendControlRequest(off, { body: { publicKey } });
  assert.equal(status, 404);
  assert.match(json.problem ?? "", /TOLLGATE_CONTROL_SECRET_FILE/);

  const live = await startTestGateway("live");
  for (const method of ["GET", "POST"]) {
    const answer = await send(live.url, {
      method,
      path: "/sandbox/universes",
      body: "",
      headers: { authorization: `Bearer ${controlSecret}`, "content-type": undefined },
    });
    assert.equal(answer.status, 404);
    assert.doesNotMatch(answer.text, /universe(?!s not found)/);
  }
});

test("a secret that is short, or in a file that others can read, is rejected at startup", async () => {
  for (const [secret, mode, sentence] of [
    [controlSecret, 0o644, /has mode 0644, so others can read or change it/],
    [controlSecret.slice(0, 31), 0o400, /one line of at least 32 characters/],
  ] as const) {
    const file = writeTestFile(`secret-${mode}`, secret);
    await chmod(file, mode);
    await assert.rejects(start({ TOLLGATE_CONTROL_SECRET_FILE: file }), sentence);
  }
});

test("a universe's first key is no key change; a second or revoked key is", async () => {
  const { clientId } = await openUniverse(url);
  const revision = async (change: string): Promise<unknown> => {
    await asSuperuser(change, [clientId], database.superuserUrl);
    const asked = "select revision::int as revision from clients where client_id = $1";
    return (await asSuperuser<{ revision: number }>(asked, [clientId], database.superuserUrl))[0]?.revision;
  };
  assert.equal(await revision("select from clients where client_id = $1"), 1);
  const added = `insert into client_keys (bucket, client_id, version, public_key)
    select bucket, client_id, 2, public_key from client_keys where client_id = $1`;
  assert.equal(await revision(added), 2);
  const revoked = "update client_keys set revoked_at = now() where client_id = $1 and version = 1";
  assert.equal(await revision(revoked), 3);
});

test("control can be limited to this machine: other addresses get 403, also with the secret", async () => {
  const limited = await start({
    ...controlVariables,
    TOLLGATE_CONTROL_FROM: "loopback",
    TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8",
  });
  const authorization = `Bearer ${controlSecret}`;
  const listed = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${limited}/sandbox/universes`, { headers });
  assert.equal((await listed({ authorization })).status, 200);
  assert.equal((await listed({ authorization, "x-forwarded-for": "192.168.1.5" })).status, 403);
  assert.equal((await listed({ "x-forwarded-for": "192.168.1.5" })).status, 403);
  assert.throws(
    () => readSettings({ ...variables, TOLLGATE_CONTROL_FROM: "here" }).controlFrom,
    /TOLLGATE_CONTROL_FROM must be anywhere or loopback/,
  );
});
