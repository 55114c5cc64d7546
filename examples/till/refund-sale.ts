import { newRequestId, type Amount, type Tollgate } from "../../clients/typescript/src/generated/package.ts";
import { heard, sleep } from "./by-code.ts";
import type { Shop } from "./requests.ts";
import type { SaleBook } from "./sale-store.ts";
import type { Refund, Sale } from "./sale.ts";

interface Refunding {
  readonly client: Tollgate;
  readonly book: SaleBook;
  readonly shop: Pick<Shop, "tillId">;
  readonly pace: number;
  readonly log: (message: string) => void;
}

/** The pauses before the repeated refund requests, in seconds. */
const repeatAfter = [2, 3, 3, 5, 5];

export function giveBack(refunding: Refunding, sale: Sale, amount: Amount): void {
  const refund = { id: newRequestId(refunding.shop.tillId), amount, state: "asked" } as const;
  // The refund is stored before its request is sent. Every repeat uses this id, so there is never a second refund.
  refunding.book.beginRefund({ id: sale.id, refundId: refund.id, amount });
  repeatRefund(refunding, sale, refund);
}

/**
 * Repeats the same refund request until its outcome is known. A repeat with the same id never creates a second refund
 * (idempotency).
 */
export function repeatRefund(refunding: Refunding, sale: Sale, refund: Refund): void {
  const { book, log } = refunding;
  book.moveRefund(sale.id, refund.id, "asked");
  const fault = (error: unknown): void => log(`${refund.id}: ${String(error)}`);
  void settle(refunding, sale, refund)
    .catch(fault)
    .then((settled) =>
      settled
        ? book.settleRefund({ id: sale.id, refundId: refund.id, ...settled })
        : book.moveRefund(sale.id, refund.id, "unknown"),
    );
}

interface Settled {
  readonly state: "done" | "refused";
  readonly resultCode: string;
}

async function settle(
  { client, pace }: Refunding,
  { paymentId = "" }: Sale,
  { id: refundRequestId, amount }: Refund,
): Promise<Settled | undefined> {
  const request = { refundRequestId, paymentId, refundAmount: amount };
  const once = { timeoutMs: 10_000, maxRetries: 0, throwOnFailure: false } as const;
  for (const seconds of [0, ...repeatAfter]) {
    await sleep(seconds * 1_000 * pace);
    const answer = await heard(client.payments.refund(request, once));
    const resultCode = answer?.result.resultCode ?? "";
    if (answer?.isSuccess) return { state: "done", resultCode };
    // A rejection by the rate limit leaves the refund's outcome unknown, so the request is repeated.
    if (answer?.isFailure && resultCode !== "REQUEST_TRAFFIC_EXCEED_LIMIT")
      return { state: "refused", resultCode };
  }
  return undefined;
}
