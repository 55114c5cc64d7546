import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client, Pool, type PoolClient } from "pg";
import { startTemporaryPostgres } from "../../server/src/postgres/temporary-postgres.ts";
import { applyOnce, applyOnceSql, type Applying } from "../typescript/src/apply-once.ts";

const postgres = await startTemporaryPostgres({ durable: false });
const pool = new Pool({ connectionString: postgres.url("postgres"), max: 8 });
after(async () => {
  await pool.end();
  await postgres.stop();
});
await pool.query(applyOnceSql.postgresql.createTable);
await pool.query("create table steps (subject text, sequence bigint, position bigserial)");

type TransactionEnd = "commit" | "rollback" | "fails and commits";

/** Applies one webhook in its own transaction. The transaction may be interrupted or fail. */
async function applyWebhook(subject: string, sequence: number, ending: TransactionEnd): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query("begin");
    const applying = { dialect: "postgresql", execute: createExecutor(connection) } as const;
    const applied = applyOnce(applying, { subject, sequence }, async () => {
      await connection.query("insert into steps (subject, sequence) values ($1, $2)", [subject, sequence]);
      // A statement that the database rejects; after such an error, PostgreSQL can only roll back the
      // transaction.
      if (ending === "fails and commits") await connection.query("select 1 / 0");
    });
    await applied.catch((error: unknown) => assert.match(String(error), /division by zero/));
    await connection.query(ending === "rollback" ? "rollback" : "commit");
  } finally {
    connection.release();
  }
}

function createExecutor(connection: Pool | PoolClient): Applying["execute"] {
  return async (sql, values) => (await connection.query(sql, [...values])).rowCount ?? 0;
}

test("a transaction is required before anything is applied", async () => {
  const applied: string[] = [];
  await assert.rejects(
    applyOnce(
      { dialect: "postgresql", execute: createExecutor(pool) },
      { subject: "notifyPayment alone", sequence: 1 },
      () => void applied.push("applied"),
    ),
    /SAVEPOINT can only be used in transaction blocks/,
  );
  assert.deepEqual(applied, []);
});

test("a thousand concurrent webhooks, duplicated and out of order: each record only moves forward and reaches its last state", async () => {
  const endings: readonly TransactionEnd[] = ["rollback", "fails and commits", ...Array(8).fill("commit")];
  const webhooks = Array.from({ length: 1_000 }, (_, index) => ({
    subject: `notifyPayment ${index % 20}`,
    sequence: (index * 7) % 25,
  }));
  const shuffled = [...webhooks, ...webhooks].sort(() => Math.random() - 0.5);
  await Promise.all(
    shuffled.map(({ subject, sequence }, index) =>
      applyWebhook(subject, sequence, endings[index % endings.length] ?? "commit"),
    ),
  );
  // Delivers all webhooks again, as the gateway does after a transaction that was interrupted or failed.
  await Promise.all(webhooks.map(({ subject, sequence }) => applyWebhook(subject, sequence, "commit")));

  const client = new Client({ connectionString: postgres.url("postgres") });
  await client.connect();
  const { rows } = await client.query<{ subject: string; sequences: string[] }>(
    "select subject, array_agg(sequence order by position) as sequences from steps group by subject",
  );
  await client.end();
  assert.equal(rows.length, 20);
  for (const { subject, sequences } of rows) {
    const numbers = sequences.map(Number);
    const newest = Math.max(
      ...webhooks.filter((each) => each.subject === subject).map((each) => each.sequence),
    );
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
      subject,
    );
    assert.equal(numbers.at(-1), newest);
  }
});
