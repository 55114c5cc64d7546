import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseDirectory, serializeDirectory, type Directory } from "../../src/cells/directory.ts";
import type { RebalancePlan } from "../../src/cells/rebalance.ts";
import { openMoveConnection } from "../../src/moves/move-connection.workflow.ts";
import { moveMerchant, type MerchantMoveResult } from "../../src/moves/move-merchant.workflow.ts";
import { waitForOpenTransactions } from "../../src/moves/move-rows.workflow.ts";
import { readSignedDirectory } from "../../src/operators/cells/directory-file.ts";
import { newOperatorProcess } from "../start/operator-process.ts";
import { asSuperuser, type TestDatabase } from "../start/test-database.ts";
import { newMerchant, writeTestFile } from "../start/test-gateway.ts";
import { insertSales } from "./insert-sales.ts";
import { runKilledMover, type MoveOrder } from "./run-crash-victim.ts";
import { isHomeOf, newCellDatabase } from "./test-cell-database.ts";

// All merchants of `a` are in one bucket, which can move with them.
const bucket = 7;
const [a, b] = [await newCellDatabase("a", [bucket]), await newCellDatabase("b", [1, 2, 3])];
const operator = newOperatorProcess({
  TOLLGATE_ENVIRONMENT: "sandbox",
  TOLLGATE_OWNER_DATABASE_URL: a.ownerUrl,
  TOLLGATE_CELL_A_OWNER_DATABASE_URL: a.ownerUrl,
  TOLLGATE_CELL_B_OWNER_DATABASE_URL: b.ownerUrl,
});

const newOrder = (action: MoveOrder["action"], subject: string): MoveOrder => ({
  action,
  subject,
  from: a,
  to: b,
});

async function homesOf(clientId: string): Promise<readonly string[]> {
  const homes = [(await isHomeOf(a, clientId)) && "a", (await isHomeOf(b, clientId)) && "b"];
  return homes.filter((home) => home !== false);
}

async function ownersOf(bucketNumber: number): Promise<readonly string[]> {
  const owns = async (name: string, { superuserUrl }: TestDatabase): Promise<readonly string[]> => {
    const statement = "select from cell_buckets where bucket = $1 and given_to is null";
    return (await asSuperuser(statement, [bucketNumber], superuserUrl)).length === 1 ? [name] : [];
  };
  return [...(await owns("a", a)), ...(await owns("b", b))];
}

async function countIn({ superuserUrl }: TestDatabase, rows: string, clientId: string): Promise<number> {
  const [row] = await asSuperuser<{ count: number }>(
    `select count(*)::int as count from ${rows} and client_id = $1`,
    [clientId],
    superuserUrl,
  );
  return row?.count ?? 0;
}

test("rows that a killed run has copied are not copied again, and rows deleted meanwhile are deleted", async (context) => {
  const { clientId } = await newMerchant(a, "Coffee");
  await insertSales(a, clientId, 3_000);
  assert.equal(await runKilledMover(newOrder("move", clientId), "fence"), undefined);
  assert.equal(await countIn(b, "payments where true", clientId), 3_000);
  for (const change of [
    "delete from notification_attempts where client_id = $1 and notification_id like '%7'",
    "update payments set order_description = 'Three coffees' where client_id = $1 and payment_id like '%11'",
  ])
    await asSuperuser(change, [clientId], a.superuserUrl);
  const moved = await runKilledMover<MerchantMoveResult>(newOrder("move", clientId), "never");
  context.diagnostic(JSON.stringify(moved));
  assert.equal(moved?.outcome, "moved");
  assert.ok(moved.rows < 1_000, `${moved.rows} rows were brought`);
  assert.equal(await countIn(b, "notification_attempts where true", clientId), 2_700);
  assert.equal(await countIn(b, "payments where order_description = 'Three coffees'", clientId), 30);
});

test("a move is undone, also after the undo was killed, and can be started again", async () => {
  const { clientId } = await newMerchant(a, "Flowers");
  for (const step of ["fence", "finish", "leave"]) {
    assert.equal(await runKilledMover(newOrder("move", clientId), step), undefined);
    if (step !== "fence") {
      assert.deepEqual(await homesOf(clientId), [], "behind the fence");
      assert.equal(await runKilledMover(newOrder("undo", clientId), "undo"), undefined);
      assert.deepEqual(await homesOf(clientId), []);
    }
    const undone = await runKilledMover<MerchantMoveResult>(newOrder("undo", clientId), "never");
    assert.deepEqual([undone?.outcome, await homesOf(clientId)], ["undone", ["a"]]);
  }
  assert.equal(await runKilledMover(newOrder("move", clientId), "settle"), undefined);
  const tooLate = await runKilledMover<MerchantMoveResult>(newOrder("undo", clientId), "never");
  assert.deepEqual([tooLate?.outcome, await homesOf(clientId)], ["moved", ["b"]]);
});

test("the mover waits for open transactions, with a limit", async () => {
  const [mover, other] = [
    await openMoveConnection(a.ownerUrl, "nobody"),
    await openMoveConnection(a.ownerUrl, "nobody"),
  ];
  await other.client.query("begin");
  await other.client.query("select 1");
  assert.equal(await waitForOpenTransactions(mover, 50), false);
  await other.client.query("commit");
  assert.equal(await waitForOpenTransactions(mover, 10_000), true);
  await Promise.all([mover.client.end(), other.client.end()]);
});

test("merchants do not move between servers whose clocks differ by more than a second (clock skew)", async () => {
  const { clientId } = await newMerchant(a, "Late");
  const move = { clientId, sourceUrl: a.ownerUrl, goal: "move", onStep: () => undefined } as const;
  // The test replaces `clock_timestamp` by a function that is five seconds ahead, to simulate a server with clock skew.
  const run = (statement: string): Promise<unknown> => asSuperuser(statement, [], b.superuserUrl);
  await run(
    `create function public.clock_timestamp() returns timestamptz language sql
     as 'select pg_catalog.clock_timestamp() + make_interval(secs => 5)'`,
  );
  const ahead = new URL(b.ownerUrl);
  ahead.searchParams.set("options", "-c search_path=public,pg_catalog");
  await assert.rejects(
    moveMerchant({ ...move, targetUrl: ahead.href }),
    /The clocks of the two database servers differ by [45]\d{3} ms/,
  );
  assert.deepEqual(await homesOf(clientId), ["a"]);
  await run("drop function public.clock_timestamp()");
  const moved = await moveMerchant({ ...move, targetUrl: b.ownerUrl });
  assert.equal(moved.outcome, "moved");
});

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const keyFile = writeTestFile("fleet.pem", privateKey.export({ format: "pem", type: "pkcs8" }).toString());
const publicKeyFile = writeTestFile(
  "public.pem",
  publicKey.export({ format: "pem", type: "spki" }).toString(),
);
const draft: Directory = {
  version: 4,
  cells: new Map(["a", "b"].map((name) => [name, { url: `http://${name}.internal:8080` }])),
  buckets: Array.from({ length: 1_024 }, () => "a"),
  clients: new Map(),
};

test("`merchant move` writes the next directory, as a draft or signed with the key", async () => {
  const file = writeTestFile("directory.json", serializeDirectory(draft));
  const first = await newMerchant(a, "Books");
  const options = ["--to", "b", "--reason", "it has grown", "--directory", file];
  const drafted = await operator.run("merchant move", first.clientId, ...options);
  assert.equal(drafted.code, 0, drafted.stderr);
  assert.match(
    drafted.stdout,
    /is now in cell b: \d+ rows in \d+ passes, \d+ ms without service\. Version 5 of the directory/,
  );
  assert.match(drafted.stderr, /^prepare\ncopy\n/);
  const { version, clients } = parseDirectory(readFileSync(file, "utf8"));
  assert.deepEqual([version, clients.get(first.clientId)], [5, { cell: "b", epoch: 1 }]);

  const second = await newMerchant(a, "Shoes");
  for (let times = 1; times <= 2; times += 1) {
    const signed = await operator.run(
      "merchant move",
      second.clientId,
      ...options,
      "--directory-key",
      keyFile,
      "--json",
    );
    assert.equal(signed.code, 0, signed.stderr);
    const directory = await readSignedDirectory(file, publicKeyFile);
    assert.deepEqual([directory.version, directory.clients.size], [6, 2]);
  }

  const third = await newMerchant(a, "Bread");
  const refused = await operator.run("merchant move", third.clientId, ...options);
  assert.deepEqual([refused.code, await homesOf(third.clientId)], [1, ["a"]]);
  assert.match(refused.stderr, /is signed\. Give the key/);
  const wrong = await operator.run("merchant move", third.clientId, "--to", "a");
  assert.match(wrong.stderr, /source and target are the same cell/);
});

test("a rebalancing plan lists the merchants to move, and moves none", async () => {
  const [large, small] = [await newMerchant(a, "Large"), await newMerchant(a, "Small")];
  await insertSales(a, large.clientId, 5_000);
  await insertSales(a, small.clientId, 400);
  const options = ["--cells", "a,b", "--days", "366"];
  const { moves, cells } = await operator.jsonOf<RebalancePlan>("cells rebalance", ...options);
  assert.deepEqual(moves, [{ clientId: small.clientId, payments: 400, from: "a", to: "b" }]);
  assert.deepEqual(cells, [
    { cell: "a", before: 5_400, after: 5_000 },
    { cell: "b", before: 3_000, after: 3_400 },
  ]);
  const printed = await operator.stdoutOf("cells rebalance", ...options);
  assert.match(
    printed,
    new RegExp(`^tollgate merchant move ${small.clientId} --to b  # from a, 400 payments$`, "m"),
  );
  assert.deepEqual(await homesOf(small.clientId), ["a"]);
});

test("a bucket moves with its merchants, and has at most one owner wherever the mover is killed", async () => {
  const lastMerchant = await newMerchant(a, "Last");
  // The bucket has a client that moved to a third cell earlier. The next owner of the bucket must know this.
  const movedClientId = "SANDBOX_ELSEWHERE";
  await asSuperuser(
    "insert into client_homes (bucket, client, state, epoch, cell) values ($1, $2, 'gone', 3, 'c')",
    [bucket, movedClientId],
    a.superuserUrl,
  );
  const order = newOrder("bucket", String(bucket));
  for (const step of ["give", "move", "take", "publish"]) {
    assert.equal(await runKilledMover(order, step), undefined, `It was not killed before ${step}.`);
    assert.ok((await ownersOf(bucket)).length <= 1);
  }
  assert.deepEqual([await ownersOf(bucket), await homesOf(lastMerchant.clientId)], [["b"], ["b"]]);
  await assert.rejects(newMerchant(a, "Nobody's"));
  const file = writeTestFile("after.json", serializeDirectory(draft));
  const options = ["--to", "b", "--reason", "a new cell", "--directory", file];
  const published = await operator.run("cells move-bucket", String(bucket), ...options);
  assert.equal(published.code, 0, published.stderr);
  assert.equal(parseDirectory(readFileSync(file, "utf8")).buckets[bucket], "b");
  const knownHomeSql = "select state, epoch, cell from client_homes where client = $1";
  assert.deepEqual(await asSuperuser(knownHomeSql, [movedClientId], b.superuserUrl), [
    { state: "gone", epoch: 3, cell: "c" },
  ]);
});
