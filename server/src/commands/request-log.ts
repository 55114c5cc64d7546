import { updateRetention } from "../merchants/request-log.sql.ts";
import { systemScope } from "../postgres/database.ts";
import { asOwner, type Operator } from "./as-owner.ts";

/** Sets the retention of the request log. Serving processes drop older partitions within the hour. */
export async function keepRequestLog({ url, environment }: Operator, days: number): Promise<void> {
  await asOwner(url, environment, systemScope, (tx) => updateRetention(tx, days));
}
