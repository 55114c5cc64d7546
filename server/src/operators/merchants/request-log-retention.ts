import { updateRetention } from "../../merchants/request-log.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import { actAsOwner, type Operator } from "../../operator-session/owner-session.ts";

/** Sets the retention of the request log. Processes of `serve` drop older partitions within the hour. */
export async function setRequestLogRetention(operator: Operator, days: number): Promise<void> {
  await actAsOwner(operator, systemScope, async (tx) => {
    await updateRetention(tx, days);
    return { value: undefined, audit: { act: "request-log keep", subject: "request log", after: { days } } };
  });
}
