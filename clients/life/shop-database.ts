import { startThrowAwayPostgres } from "../../server/src/postgres/throw-away.ts";

/** PostgreSQL for the shops of examples in other languages: says its address, and is gone when it is told to leave. */
const postgres = await startThrowAwayPostgres({ durable: false });
process.stdout.write(`${postgres.url("postgres")}\n`);
const busy = setInterval(() => undefined, 60_000);
process.once("SIGTERM", () => {
  clearInterval(busy);
  void postgres.stop();
});
