import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client, Pool } from "pg";
import { startThrowAwayPostgres } from "../../server/src/postgres/throw-away.ts";
import { applyOnce, applyOnceSql } from "../typescript/src/apply-once.ts";

const postgres = await startThrowAwayPostgres({ durable: false });
const pool = new Pool({ connectionString: postgres.url("postgres"), max: 8 });
after(async () => {
  await pool.end();
  await postgres.stop();
});
await pool.query(applyOnceSql.postgresql.createTable);
await pool.query("create table steps (subject text, sequence bigint, position bigserial)");

/** One notification in a transaction of its own, which now and then does not reach its end. */
async function tell(subject: string, sequence: number, isCutOff: boolean): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query("begin");
    const execute = async (sql: string, values: readonly (string | number)[]): Promise<number> =>
      (await connection.query(sql, [...values])).rowCount ?? 0;
    await applyOnce({ dialect: "postgresql", execute }, { subject, sequence }, async () => {
      await connection.query("insert into steps (subject, sequence) values ($1, $2)", [subject, sequence]);
    });
    await connection.query(isCutOff ? "rollback" : "commit");
  } finally {
    connection.release();
  }
}

test("a thousand notifications at once, twice and out of order: each record moves forward only, and arrives", async () => {
  const told = Array.from({ length: 1_000 }, (_, index) => ({
    subject: `notifyPayment ${index % 20}`,
    sequence: (index * 7) % 25,
  }));
  const shuffled = [...told, ...told].sort(() => Math.random() - 0.5);
  await Promise.all(
    shuffled.map(({ subject, sequence }, index) => tell(subject, sequence, index % 10 === 0)),
  );
  // Whatever was cut off is told again, as the gateway does.
  await Promise.all(told.map(({ subject, sequence }) => tell(subject, sequence, false)));

  const client = new Client({ connectionString: postgres.url("postgres") });
  await client.connect();
  const { rows } = await client.query<{ subject: string; sequences: string[] }>(
    "select subject, array_agg(sequence order by position) as sequences from steps group by subject",
  );
  await client.end();
  assert.equal(rows.length, 20);
  for (const { subject, sequences } of rows) {
    const numbers = sequences.map(Number);
    const newest = Math.max(...told.filter((each) => each.subject === subject).map((each) => each.sequence));
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
      subject,
    );
    assert.equal(numbers.at(-1), newest);
  }
});
