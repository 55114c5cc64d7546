import { newRequestId, type Amount, type Tollgate } from "../../clients/typescript/src/generated/package.ts";
import { verifiedResponse, sleep } from "./by-code.ts";
import type { Shop } from "./requests.ts";
import type { SaleStore } from "./sale-store.ts";
import type { Refund, Sale } from "./sale.ts";

interface RefundContext {
  readonly client: Tollgate;
  readonly saleStore: SaleStore;
  readonly shop: Pick<Shop, "tillId">;
  readonly pace: number;
  readonly log: (message: string) => void;
}

/** The pauses before the repeated refund requests, in seconds. */
const retryDelaysSeconds = [2, 3, 3, 5, 5];

export function startRefund(context: RefundContext, sale: Sale, amount: Amount): void {
  const refund = { id: newRequestId(context.shop.tillId), amount, state: "asked" } as const;
  // The refund is stored before its request is sent. Every repeat uses this id, so there is never a second refund.
  context.saleStore.beginRefund({ id: sale.id, refundId: refund.id, amount });
  repeatRefund(context, sale, refund);
}

/**
 * Repeats the same refund request until its outcome is known. A repeat with the same id never creates a second refund
 * (idempotency).
 */
export function repeatRefund(context: RefundContext, sale: Sale, refund: Refund): void {
  const { saleStore, log } = context;
  saleStore.moveRefund(sale.id, refund.id, "asked");
  const logError = (error: unknown): void => log(`${refund.id}: ${String(error)}`);
  void sendUntilFinal(context, sale, refund)
    .catch(logError)
    .then((result) =>
      result
        ? saleStore.settleRefund({ id: sale.id, refundId: refund.id, ...result })
        : saleStore.moveRefund(sale.id, refund.id, "unknown"),
    );
}

interface RefundResult {
  readonly state: "done" | "refused";
  readonly resultCode: string;
}

async function sendUntilFinal(
  { client, pace }: RefundContext,
  { paymentId = "" }: Sale,
  { id: refundRequestId, amount }: Refund,
): Promise<RefundResult | undefined> {
  const request = { refundRequestId, paymentId, refundAmount: amount };
  const requestOptions = { timeoutMs: 10_000, maxRetries: 0, throwOnFailure: false } as const;
  for (const seconds of [0, ...retryDelaysSeconds]) {
    await sleep(seconds * 1_000 * pace);
    const answer = await verifiedResponse(client.payments.refund(request, requestOptions));
    const resultCode = answer?.result.resultCode ?? "";
    if (answer?.isSuccess) return { state: "done", resultCode };
    // A rejection by the rate limit leaves the refund's outcome unknown, so the request is repeated.
    if (answer?.isFailure && resultCode !== "REQUEST_TRAFFIC_EXCEED_LIMIT")
      return { state: "refused", resultCode };
  }
  return undefined;
}
