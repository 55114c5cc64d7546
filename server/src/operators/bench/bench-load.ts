import { newPayment, type BenchMerchants } from "./bench-merchants.ts";
import {
  waitUntilAnswered,
  openConnectionPool,
  quantile,
  sendOnTime,
  type TimedResponse,
  type ScheduledRequest,
  type SendStatistics,
} from "./open-loop.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";
import type { Latency } from "./bench-step.ts";

/** Sends payments and inquiries at one rate, and approves payments as the buyer. */
export interface LoadGenerator {
  /** Signs all requests of a step before the measurement starts. */
  prepare(rate: number, seconds: number): Promise<PreparedLoad>;
  close(): void;
}

export interface PreparedLoad {
  run(): Promise<LoadResult>;
}

export interface LoadResult {
  readonly pay: Latency;
  readonly inquiry: Latency;
  readonly sent: SendStatistics;
  /** Result code of the first unexpected response. */
  readonly firstRefusal: string;
}

export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  readonly merchants: BenchMerchants;
  /** The receiver of webhooks; absent if payments are not approved, so no webhooks are expected. */
  readonly receiver: WebhookReceiver | undefined;
}

/**
 * Load per merchant. It is half a merchant's rate limit of 200 requests a second, so that the limit does not affect the
 * result.
 */
const ratePerMerchant = 100;
const merchantsMin = 4;
const approvalConnectionsMax = 32;
/** Maximum number of earlier payments that inquiries choose from. */
const knownPaymentsMax = 5_000;

const expectedCodes = { pay: "PAYMENT_IN_PROCESS", inquiryPayment: "SUCCESS" };
type Operation = keyof typeof expectedCodes;

interface KnownPayment {
  readonly clientId: string;
  readonly paymentRequestId: string;
}

export function openLoadGenerator({ url, connections, merchants, receiver }: LoadOptions): LoadGenerator {
  const connectionPool = openConnectionPool(url, connections);
  const approvals = receiver && openConnectionPool(merchants.providerUrl ?? "", approvalConnectionsMax);
  const knownPayments: KnownPayment[] = [];

  function approve(paymentId: string): void {
    if (!receiver || !approvals) return;
    const path = `/control/payments/${paymentId}/approve`;
    const head = `POST ${path} HTTP/1.1\r\nhost: provider\r\nauthorization: Bearer ${merchants.secret}\r\ncontent-length: 2\r\n\r\n{}`;
    approvals.send(Buffer.from(head), performance.now(), ({ status }) => {
      if (status === 200) receiver.recordApproval(paymentId);
    });
  }

  async function prepare(rate: number, seconds: number): Promise<PreparedLoad> {
    await merchants.openUntil(Math.max(merchantsMin, Math.ceil(rate / ratePerMerchant)));
    const clientIds = merchants.clientIds();
    const count = Math.max(1, Math.round(rate * seconds));
    const counter = newResponseCounter();
    const newPayments: KnownPayment[] = [];
    const scheduled = Array.from(
      { length: count },
      async (_, index): Promise<readonly ScheduledRequest[]> => {
        const clientId = clientIds[index % clientIds.length] ?? "";
        const payment = newPayment(receiver?.url);
        const { paymentRequestId } = payment;
        const inquiredPayment = knownPayments[Math.floor(Math.random() * knownPayments.length)];
        const atMs = (index / rate) * 1000;
        const pay = await merchants.signRequest(clientId, "pay", payment);
        const onPayResponse = (answer: TimedResponse): void => {
          if (!counter.countResponse("pay", answer)) return;
          newPayments.push({ clientId, paymentRequestId });
          approve(/"paymentId":"(\d+)"/.exec(answer.body)?.[1] ?? "");
        };
        const payRequest = { atMs, bytes: pay, onResponse: onPayResponse };
        if (!inquiredPayment) return [payRequest];
        const body = { paymentRequestId: inquiredPayment.paymentRequestId };
        const inquiry = await merchants.signRequest(inquiredPayment.clientId, "inquiryPayment", body);
        const onInquiryResponse = (answer: TimedResponse): void =>
          void counter.countResponse("inquiryPayment", answer);
        return [payRequest, { atMs: atMs + 500 / rate, bytes: inquiry, onResponse: onInquiryResponse }];
      },
    );
    const requests = (await Promise.all(scheduled)).flat();
    return {
      async run() {
        const sent = await sendOnTime(connectionPool, requests, connections + Math.max(100, rate));
        // Each approval follows a response to `pay`. The receiver counts webhooks, so the load waits until all
        // approvals are sent.
        if (approvals) await waitUntilAnswered(approvals);
        knownPayments.push(...newPayments);
        knownPayments.splice(0, Math.max(0, knownPayments.length - knownPaymentsMax));
        return { ...counter.result(), sent };
      },
    };
  }

  return {
    prepare,
    close() {
      connectionPool.close();
      approvals?.close();
    },
  };
}

interface ResponseCounter {
  /** Records a response; returns whether the response was the expected one. */
  countResponse(operation: Operation, answer: TimedResponse): boolean;
  result(): Pick<LoadResult, "pay" | "inquiry" | "firstRefusal">;
}

function newResponseCounter(): ResponseCounter {
  const times: Record<Operation, number[]> = { pay: [], inquiryPayment: [] };
  const refusedCounts: Record<Operation, number> = { pay: 0, inquiryPayment: 0 };
  let firstRefusal = "";
  const latency = (operation: Operation): Latency => {
    const sorted = times[operation].toSorted((left, right) => left - right);
    const [p50Ms, p99Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
    return { answered: sorted.length, refused: refusedCounts[operation], p50Ms, p99Ms };
  };
  return {
    countResponse(operation, { status, body, tookMs }) {
      const [, code = ""] = /^\{"result":\{"resultCode":"([A-Z_]+)"/.exec(body) ?? [];
      if (code === expectedCodes[operation]) {
        times[operation].push(tookMs);
        return true;
      }
      refusedCounts[operation] += 1;
      firstRefusal ||= code || `HTTP ${status}: ${body.slice(0, 80)}`;
      return false;
    },
    result: () => ({ pay: latency("pay"), inquiry: latency("inquiryPayment"), firstRefusal }),
  };
}
