import { updateRetention } from "../http/request-log.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Environment } from "../postgres/migrate.ts";
import { asOwner } from "./as-owner.ts";

/** Sets the retention of the request log. Serving processes drop older partitions within the hour. */
export async function keepRequestLog(
  { url, environment }: { readonly url: string; readonly environment: Environment },
  days: number,
): Promise<void> {
  if (!Number.isSafeInteger(days) || days < 1 || days > 3650)
    throw new Error("--days has to be a whole number from 1 to 3650.");
  await asOwner(url, environment, systemScope, (tx) => updateRetention(tx, days));
}
