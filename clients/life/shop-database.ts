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
 * For runners in other languages: prints the database's address, and deletes the database when it is stopped.
 */
if (import.meta.main) {
  const database = await startShopDatabase();
  const busy = setInterval(() => undefined, 60_000);
  process.once("SIGTERM", () => {
    clearInterval(busy);
    void database.stop();
  });
  process.stdout.write(`${database.url}\n`);
}
