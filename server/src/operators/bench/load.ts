import { newPayment, type Merchants } from "./merchants.ts";
import { drained, openLine, quantile, sendOnTime, type Answer, type Due, type Sent } from "./open-loop.ts";
import type { Receiver } from "./receiver.ts";
import type { Latency } from "./step.ts";

/** Sends payments and inquiries at one rate, and approves payments as the buyer. */
export interface Load {
  /** Signs all requests of a step before the measurement starts. */
  prepare(rate: number, seconds: number): Promise<Prepared>;
  close(): void;
}

export interface Prepared {
  run(): Promise<Loaded>;
}

export interface Loaded {
  readonly pay: Latency;
  readonly inquiry: Latency;
  readonly sent: Sent;
  /** Result code of the first unexpected response. */
  readonly firstRefusal: string;
}

export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  readonly merchants: Merchants;
  /** The receiver of webhooks; absent if payments are not approved, so no webhooks are expected. */
  readonly receiver: Receiver | undefined;
}

/**
 * Load per merchant. It is half a merchant's rate limit of 200 requests a second, so that the limit does not affect the
 * result.
 */
const ratePerMerchant = 100;
const merchantsLeast = 4;
const approvalsAtOnce = 32;
/** Maximum number of earlier payments that inquiries choose from. */
const knownMax = 5_000;

const hoped = { pay: "PAYMENT_IN_PROCESS", inquiryPayment: "SUCCESS" };
type Operation = keyof typeof hoped;

interface Known {
  readonly clientId: string;
  readonly paymentRequestId: string;
}

export function openLoad({ url, connections, merchants, receiver }: LoadOptions): Load {
  const line = openLine(url, connections);
  const approvals = receiver && openLine(merchants.walletUrl ?? "", approvalsAtOnce);
  const known: Known[] = [];

  function approve(paymentId: string): void {
    if (!receiver || !approvals) return;
    const path = `/control/payments/${paymentId}/approve`;
    const head = `POST ${path} HTTP/1.1\r\nhost: provider\r\nauthorization: Bearer ${merchants.secret}\r\ncontent-length: 2\r\n\r\n{}`;
    approvals.send(Buffer.from(head), performance.now(), ({ status }) => {
      if (status === 200) receiver.approved(paymentId);
    });
  }

  async function prepare(rate: number, seconds: number): Promise<Prepared> {
    await merchants.grow(Math.max(merchantsLeast, Math.ceil(rate / ratePerMerchant)));
    const clientIds = merchants.clientIds();
    const count = Math.max(1, Math.round(rate * seconds));
    const book = newBook();
    const fresh: Known[] = [];
    const dues = Array.from({ length: count }, async (_, index): Promise<readonly Due[]> => {
      const clientId = clientIds[index % clientIds.length] ?? "";
      const payment = newPayment(receiver?.url);
      const { paymentRequestId } = payment;
      const asked = known[Math.floor(Math.random() * known.length)];
      const atMs = (index / rate) * 1000;
      const pay = await merchants.signed(clientId, "pay", payment);
      const paid = (answer: Answer): void => {
        if (!book.note("pay", answer)) return;
        fresh.push({ clientId, paymentRequestId });
        approve(/"paymentId":"(\d+)"/.exec(answer.body)?.[1] ?? "");
      };
      const first = { atMs, bytes: pay, answered: paid };
      if (!asked) return [first];
      const body = { paymentRequestId: asked.paymentRequestId };
      const inquiry = await merchants.signed(asked.clientId, "inquiryPayment", body);
      const told = (answer: Answer): void => void book.note("inquiryPayment", answer);
      return [first, { atMs: atMs + 500 / rate, bytes: inquiry, answered: told }];
    });
    const all = (await Promise.all(dues)).flat();
    return {
      async run() {
        const sent = await sendOnTime(line, all, connections + Math.max(100, rate));
        // Each approval follows a response to `pay`. The receiver counts webhooks, so the load waits until all
        // approvals are sent.
        if (approvals) await drained(approvals);
        known.push(...fresh);
        known.splice(0, Math.max(0, known.length - knownMax));
        return { ...book.result(), sent };
      },
    };
  }

  return {
    prepare,
    close() {
      line.close();
      approvals?.close();
    },
  };
}

interface Book {
  /** Records a response; returns whether the response was the expected one. */
  note(operation: Operation, answer: Answer): boolean;
  result(): Pick<Loaded, "pay" | "inquiry" | "firstRefusal">;
}

function newBook(): Book {
  const times: Record<Operation, number[]> = { pay: [], inquiryPayment: [] };
  const refused: Record<Operation, number> = { pay: 0, inquiryPayment: 0 };
  let firstRefusal = "";
  const latency = (operation: Operation): Latency => {
    const sorted = times[operation].toSorted((one, other) => one - other);
    const [p50Ms, p99Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
    return { answered: sorted.length, refused: refused[operation], p50Ms, p99Ms };
  };
  return {
    note(operation, { status, body, tookMs }) {
      const [, code = ""] = /^\{"result":\{"resultCode":"([A-Z_]+)"/.exec(body) ?? [];
      if (code === hoped[operation]) {
        times[operation].push(tookMs);
        return true;
      }
      refused[operation] += 1;
      firstRefusal ||= code || `HTTP ${status}: ${body.slice(0, 80)}`;
      return false;
    },
    result: () => ({ pay: latency("pay"), inquiry: latency("inquiryPayment"), firstRefusal }),
  };
}
