import type { Installation } from "./installation.ts";

/** Times of an operator's commands in ms; the fastest of a few runs. */
export interface OperatorCommandTimes {
  /** The start of Node and of the program, which the other times include. */
  readonly startMs: number;
  readonly stuckMs: number;
  readonly showMs: number;
  readonly showByRequestMs: number;
}

const tries = 5;

export async function measureOperatorCommands({
  operate,
  query,
}: Installation): Promise<OperatorCommandTimes> {
  const [payment] = await query<{ id: string; request: string }>(`
    select payment_id as id, payment_request_id as request from payments
    where payment_request_id like 'bench-%' order by bucket, payment_id limit 1`);
  if (!payment) throw new Error("There is no payment to show.");
  const fastest = (...command: readonly string[]): number =>
    Math.min(...Array.from({ length: tries }, () => measureMs(() => operate(...command))));
  return {
    startMs: fastest("connector", "list"),
    stuckMs: fastest("stuck"),
    showMs: fastest("payment", "show", payment.id),
    showByRequestMs: fastest("payment", "show", payment.request),
  };
}

function measureMs(act: () => void): number {
  const beganMs = performance.now();
  act();
  return performance.now() - beganMs;
}
