import { setTimeout as waitMs } from "node:timers/promises";
import type { AnswerWithBody, MerchantCall } from "../trial/caller.ts";
import type { CellFleet, FleetMerchant } from "./cell-fleet.ts";
import { payBody } from "../trial/trial.ts";

/** A merchant that sends one order after the other through the edge, and repeats every request without a response. */
export interface SellingShop {
  readonly merchant: FleetMerchant;
  /** Completed orders. */
  readonly soldCount: () => number;
  /** Wrong responses: a healthy home cell would not give them. */
  readonly wrong: readonly WrongAnswer[];
  /** How long each request waited for a definite response, with the start time of the request. */
  readonly waits: readonly Wait[];
  /**
   * The events of the feed that the merchant has read so far: positions and subjects. The merchant reads one page at
   * intervals.
   */
  readonly feed: readonly FeedEvent[];
  /** Reads the rest of the feed. */
  readRest(): Promise<void>;
  /** Resolves when the current order is complete. */
  close(): Promise<void>;
}

export interface WrongAnswer {
  readonly clientId: string;
  readonly atMs: number;
  /** The request and the response. */
  readonly description: string;
  /** The result code, or the HTTP status if there is none. */
  readonly code: string;
}

export interface Wait {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface FeedEvent {
  readonly cursor: string;
  readonly notificationId: string;
  readonly subjectId: string;
}

/** Result codes after which the client only has to retry. */
const retryResultCodes = ["UNKNOWN_EXCEPTION", "REQUEST_TRAFFIC_EXCEED_LIMIT"];
const retryMs = 50;
/** Time limit for a payment after the buyer's approval. The judge reports an order that is not paid by then. */
const endWithinMs = 60_000;

export function openSellingShop(fleet: CellFleet, merchant: FleetMerchant, gapMs: number): SellingShop {
  const client = newRetryingClient(fleet, merchant);
  const feed: FeedEvent[] = [];
  let [isOpen, completedCount] = [true, 0];

  async function readPage(): Promise<boolean> {
    const cursor = feed.at(-1)?.cursor;
    const body = { limit: 500, ...(cursor !== undefined && { cursor }) };
    const call = { verb: "inquiryEvents", requestId: `feed-${cursor ?? 0}`, body } as const;
    const answer = await client.requestUntil(call, isSuccess);
    const page = answer?.json as { events?: FeedEvent[]; hasMore?: boolean } | undefined;
    feed.push(...(page?.events ?? []));
    return page?.hasMore === true;
  }

  const orders = (async () => {
    const random = fleet.random.fork(merchant.clientId);
    await waitMs(random.between(0, gapMs));
    for (let order = 1; isOpen; order += 1) {
      const fromMs = fleet.nowMs();
      await completeOrder(fleet, client, `order-${order}`, random.next());
      completedCount += 1;
      if (order % 5 === 0) await readPage();
      await waitMs(Math.max(0, random.between(gapMs / 2, gapMs * 1.5) - (fleet.nowMs() - fromMs)));
    }
  })();
  return {
    merchant,
    soldCount: () => completedCount,
    wrong: client.wrong,
    waits: client.waits,
    feed,
    async readRest() {
      while (await readPage());
    },
    async close() {
      isOpen = false;
      await orders;
    },
  };
}

/** A merchant's client with its calls and their outcomes. */
interface RetryingClient {
  readonly wrong: readonly WrongAnswer[];
  readonly waits: readonly Wait[];
  /** Repeats a request until the response is definite. */
  requestUntil(
    call: Pick<MerchantCall, "verb" | "requestId" | "body">,
    isExpected: (answer: AnswerWithBody) => boolean,
  ): Promise<AnswerWithBody | undefined>;
}

function newRetryingClient(fleet: CellFleet, merchant: FleetMerchant): RetryingClient {
  const wrong: WrongAnswer[] = [];
  const waits: Wait[] = [];
  return {
    wrong,
    waits,
    async requestUntil(call, isExpected) {
      const fromMs = fleet.nowMs();
      while (fleet.nowMs() - fromMs < endWithinMs) {
        const answer = await fleet.caller.call({ ...call, merchant, port: fleet.edge.port });
        if (answer && isExpected(answer)) {
          waits.push({ fromMs, untilMs: fleet.nowMs() });
          return answer;
        }
        if (answer && !retryResultCodes.includes(answer.resultCode)) {
          const { clientId } = merchant;
          const code = answer.resultCode || String(answer.httpStatus);
          const description = `${call.verb} ${call.requestId} of ${clientId}: ${code}`;
          wrong.push({ clientId, atMs: fleet.nowMs(), description, code });
        }
        await waitMs(retryMs);
      }
      return undefined;
    },
  };
}

/** One complete order: cancelled, paid, or paid and partly refunded, depending on `fate` from 0 to 1. */
async function completeOrder(
  fleet: CellFleet,
  { requestUntil }: RetryingClient,
  requestId: string,
  fate: number,
): Promise<void> {
  const body = payBody(requestId, fleet.notifyUrl);
  const payResponse = await requestUntil({ verb: "pay", requestId, body }, ({ id }) => id !== undefined);
  const paymentId = payResponse?.id;
  if (paymentId === undefined) return;
  if (fate < 0.1) {
    await requestUntil({ verb: "cancel", requestId, body: { paymentRequestId: requestId } }, isSuccess);
    return;
  }
  const approve = `/control/payments/${paymentId}/approve`;
  const isApproved = await pollUntil(
    fleet,
    retryMs,
    async () => (await fleet.provider.control("POST", approve).catch(() => 0)) === 200,
  );
  const inquiry = { verb: "inquiryPayment", requestId, body: { paymentRequestId: requestId } } as const;
  const isPaid =
    isApproved &&
    (await pollUntil(
      fleet,
      200,
      async () => (await requestUntil(inquiry, isSuccess))?.recordStatus === "SUCCESS",
    ));
  if (!isPaid || fate < 0.8) return;
  const refundRequestId = `${requestId}-refund`;
  const refundAmount = { currency: "EUR", value: "300" };
  const refund = { refundRequestId, paymentId, refundAmount, refundNotifyUrl: fleet.notifyUrl };
  await requestUntil(
    { verb: "refund", requestId: refundRequestId, body: refund },
    ({ id }) => id !== undefined,
  );
}

/** `pollUntil` polls a condition every `everyMs` milliseconds, and returns whether it became true in time. */
async function pollUntil(
  { nowMs }: Pick<CellFleet, "nowMs">,
  everyMs: number,
  isMet: () => Promise<boolean>,
): Promise<boolean> {
  for (const untilMs = nowMs() + endWithinMs; nowMs() < untilMs; await waitMs(everyMs))
    if (await isMet()) return true;
  return false;
}

function isSuccess({ resultStatus }: AnswerWithBody): boolean {
  return resultStatus === "S";
}
