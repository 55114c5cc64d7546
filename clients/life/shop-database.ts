import { startThrowAwayPostgres } from "../../server/src/postgres/throw-away.ts";

export interface ShopDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

/** PostgreSQL for the shops of the examples; nothing of it is left. */
export async function startShopDatabase(): Promise<ShopDatabase> {
  const postgres = await startThrowAwayPostgres({ durable: false });
  return { url: postgres.url("postgres"), stop: () => postgres.stop() };
}

/** For runners in other languages: says its address, and is gone when it is told to leave. */
if (import.meta.main) {
  const database = await startShopDatabase();
  const busy = setInterval(() => undefined, 60_000);
  process.once("SIGTERM", () => {
    clearInterval(busy);
    void database.stop();
  });
  process.stdout.write(`${database.url}\n`);
}
