import { startTemporaryPostgres } from "../../server/src/postgres/temporary-postgres.ts";

export interface ShopDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

/** A temporary PostgreSQL database for the shops of the examples. */
export async function startShopDatabase(): Promise<ShopDatabase> {
  const postgres = await startTemporaryPostgres({ durable: false });
  return { url: postgres.url("postgres"), stop: () => postgres.stop() };
}

/**
 * As a program for runners in other languages, this file prints the database's address, and deletes the
 * database when the program is stopped.
 */
if (import.meta.main) {
  const database = await startShopDatabase();
  const keepAlive = setInterval(() => undefined, 60_000);
  process.once("SIGTERM", () => {
    clearInterval(keepAlive);
    void database.stop();
  });
  process.stdout.write(`${database.url}\n`);
}
