import { findPaymentHistory } from "../server/src/commands/payment.ts";
import { showStuck } from "../server/src/commands/stuck.ts";
import type { Installation } from "./installation.ts";

/** What an operator asks at night, in ms with the connection that each makes; the fastest of a few tries. */
export interface Questions {
  readonly stuckMs: number;
  readonly showMs: number;
  readonly showByRequestMs: number;
}

const tries = 5;

/** By the functions behind `tollgate stuck` and `tollgate payment show`: how long Node takes to start says nothing of the size. */
export async function askOperatorsQuestions({ postgres, query }: Installation): Promise<Questions> {
  const operator = { url: postgres.url("bench"), environment: "sandbox" } as const;
  const [payment] = await query<{ id: string; request: string }>(`
    select payment_id as id, payment_request_id as request from payments
    where payment_request_id like 'bench-%' order by bucket, payment_id limit 1`);
  if (!payment) throw new Error("There is no payment to ask for.");
  return {
    stuckMs: await fastest(() => showStuck(operator.url, operator.environment)),
    showMs: await fastest(() => findPaymentHistory(operator, payment.id, undefined)),
    showByRequestMs: await fastest(() => findPaymentHistory(operator, payment.request, undefined)),
  };
}

async function fastest(ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  while (times.length < tries) {
    const beganMs = performance.now();
    await ask();
    times.push(performance.now() - beganMs);
  }
  return Math.min(...times);
}
