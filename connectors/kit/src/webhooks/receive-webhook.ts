import type { Engine } from "../engine.ts";
import { inTransaction } from "../orders/leased-order.ts";
import { insertEvents } from "./inbox.sql.ts";

export interface ReceivedWebhook {
  readonly account: string;
  readonly body: Buffer;
  readonly header: (name: string) => string | undefined;
}

/**
 * Verifies a webhook and stores its events. Only then is it acknowledged, so a crash loses no event. Returns the HTTP
 * status.
 */
export async function receiveWebhook(engine: Engine, webhook: ReceivedWebhook): Promise<200 | 401 | 404> {
  const { connector, secretsOf, now, log, meter } = engine;
  const { account } = webhook;
  const secrets = secretsOf(account);
  if (!secrets) return 404;
  const reading = connector.readWebhook({ ...webhook, secrets, nowMs: now().getTime() });
  meter.add("webhooks", reading.outcome);
  if (reading.outcome === "forged") {
    log("warn", "A webhook has no valid signature of the provider.", { account });
    return 401;
  }
  if (reading.events.length > 0)
    await inTransaction(engine, async (tx) => tx.write(insertEvents(account, reading.events, now())));
  return 200;
}
