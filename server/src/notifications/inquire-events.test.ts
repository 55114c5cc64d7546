import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import { isResponseSigned, newMerchant, startTestGateway } from "../../test/start/test-gateway.ts";
import {
  assignPositions,
  eventBody,
  feedPath,
  insertTestEvents,
  readFeed,
} from "../../test/shop/test-feed.ts";

const { url, database } = await startTestGateway("sandbox");
const merchant = await newMerchant(database);
const outsider = await newMerchant(database, "Flower Lab");
const ids = Array.from({ length: 27 }, (_, index) => `event-${index + 1}`);

test("an empty feed returns a cursor from which a reader can continue", async () => {
  const page = await readFeed(url, merchant);
  assert.equal(page.code, "SUCCESS");
  assert.deepEqual([page.events, page.nextCursor, page.hasMore], [[], "0", false]);
});

test("a merchant reads all its events page by page, in order and without a gap", async () => {
  await insertTestEvents(database, merchant, ids);
  await insertTestEvents(database, outsider, ["of-another"]);
  await assignPositions(database);
  const read = [];
  let page = await readFeed(url, merchant, { limit: 11 });
  assert.ok(isResponseSigned(page.answer, feedPath, merchant.gatewayPublicKey));
  read.push(...page.events);
  while (page.hasMore) {
    page = await readFeed(url, merchant, { limit: 11, cursor: page.nextCursor });
    read.push(...page.events);
  }
  assert.deepEqual(
    read.map(({ cursor, notificationId }) => [cursor, notificationId]),
    ids.map((id, index) => [String(index + 1), id]),
  );
  assert.equal(page.nextCursor, "27");
});

test("an event has the same bytes as the webhook", async () => {
  const { events } = await readFeed(url, merchant, { limit: 1 });
  assert.equal(events[0]?.body, eventBody("event-1"));
});

test("a reader that starts with `latest` gets only later events", async () => {
  const { events, nextCursor, hasMore } = await readFeed(url, merchant, { cursor: "latest" });
  assert.deepEqual([events, nextCursor, hasMore], [[], "27", false]);
  await insertTestEvents(database, merchant, ["event-28"]);
  assert.deepEqual((await readFeed(url, merchant, { cursor: nextCursor })).events, []);
  await assignPositions(database);
  const later = await readFeed(url, merchant, { cursor: nextCursor });
  assert.deepEqual(
    later.events.map(({ cursor, notificationId }) => [cursor, notificationId]),
    [["28", "event-28"]],
  );
});

test("an operator's open transaction with an audit row does not delay the feed", async () => {
  const [operator, late] = [
    new Client({ connectionString: database.superuserUrl }),
    await newMerchant(database),
  ];
  await operator.connect();
  try {
    await operator.query("begin");
    await operator.query(
      "insert into audit (actor_kind, actor, role, act, subject) values ('command', 'Ann', 'owner', 'archive', 'a file')",
    );
    await insertTestEvents(database, late, ["event-meanwhile"]);
    await assignPositions(database);
    assert.equal((await readFeed(url, late)).events[0]?.notificationId, "event-meanwhile");
  } finally {
    await operator.query("rollback");
    await operator.end();
  }
});

for (const cursor of ["-1", "007", "1e3", "next", "9".repeat(19), "9".repeat(18), "29", " 1", "1.0"]) {
  test(`the cursor "${cursor}", which the feed never issued, is refused`, async () => {
    assert.equal((await readFeed(url, merchant, { cursor })).code, "PARAM_ILLEGAL");
  });
}

test("an event whose delivery is in progress gets its position later, and delays no other event", async () => {
  await insertTestEvents(database, merchant, ["event-29", "event-30"]);
  const delivering = new Client({ connectionString: database.superuserUrl });
  await delivering.connect();
  await delivering.query("begin");
  await delivering.query("update notifications set attempts = 1 where notification_id = 'event-29'");
  await assignPositions(database);
  const { events } = await readFeed(url, merchant, { cursor: "28" });
  await delivering.query("commit");
  await delivering.end();
  await assignPositions(database);
  const later = await readFeed(url, merchant, { cursor: "29" });
  assert.deepEqual(
    [...events, ...later.events].map(({ cursor, notificationId }) => [cursor, notificationId]),
    [
      ["29", "event-30"],
      ["30", "event-29"],
    ],
  );
});

test("the examples on the documentation page of the feed work unchanged", async () => {
  const page = readFileSync(new URL("../../../docs/reference/feed.md", import.meta.url), "utf8");
  const [byCursor = "", asStream = ""] = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code]) => code);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-feed-page-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const keyFile = join(folder, "private.pem");
  writeFileSync(keyFile, merchant.privateKey.export({ format: "pem", type: "pkcs8" }));
  const environment = {
    PATH: process.env["PATH"],
    BASE_URL: url,
    CLIENT_ID: merchant.clientId,
    PRIVATE_KEY_FILE: keyFile,
  };
  const run = async (code: string): Promise<string> => {
    const ran = promisify(execFile)("bash", ["-c", code], { env: environment });
    // A stream continues until curl's timeout, which curl reports as a failure. So the test reads the output of the
    // failed run.
    return (await ran.catch((error: { readonly stdout: string }) => error)).stdout;
  };
  assert.match(await run(byCursor), /"resultCode":"SUCCESS".*"cursor":"1".*"notificationId":"event-1"/);
  const shortened = asStream.replace("--no-buffer", "--max-time 1 --no-buffer").replace('"41"', '"29"');
  assert.match(
    await run(byCursor.replace(/^curl.*/ms, shortened)),
    /^id: 30\nevent: notifyPayment\ndata: \{/m,
  );
});
