import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { signatureHolds } from "../../../../clients/typescript/src/signing.ts";
import { parseWireTime } from "../../../../clients/typescript/src/wire-time.ts";

/**
 * Webhook receivers of shops, each correct except for one bug: KEY_FILE=… node broken-receivers.ts. It prints its port;
 * the shop with a bug is at /BUG/notify and /BUG/orders.
 */
interface Request {
  readonly path: string;
  readonly clientId: string;
  readonly time: string;
  readonly signature: string;
  readonly body: Buffer;
}

interface Order {
  status: string;
  changes: number;
}

interface Notification {
  readonly notifyType: string;
  readonly paymentId: string;
  readonly paymentRequestId: string;
  readonly sequence: number;
  readonly result: { readonly resultStatus: string };
}

interface ReceiverSteps {
  hasValidSignature(request: Request): boolean;
  isFresh(time: string): boolean;
  parse(body: Buffer): Notification;
  /** Whether a webhook has a new state. The shop acknowledges a webhook without a new state, but does not apply it. */
  isNewer(notification: Notification): boolean;
  remember(notification: Notification): void;
  /** The order's new status; undefined if it does not change. */
  statusAfter(notification: Notification): string | undefined;
  readonly answer: string;
}

const key = createPublicKey(readFileSync(process.env["KEY_FILE"] ?? ""));
const expectedClientId = "CONFORM_MERCHANT";
const highestSequences = new Map<string, number>();

const correctSteps: ReceiverSteps = {
  hasValidSignature: (request) =>
    request.clientId === expectedClientId && signatureHolds(request, request.signature, key),
  isFresh: (time) => Math.abs(Date.now() - (parseWireTime(time) ?? 0)) < 600_000,
  parse: (body) => JSON.parse(body.toString("utf8")) as Notification,
  isNewer: ({ paymentId, sequence }) => sequence > (highestSequences.get(paymentId) ?? -1),
  remember: ({ paymentId, sequence }) => void highestSequences.set(paymentId, sequence),
  statusAfter({ notifyType, result }) {
    if (notifyType !== "PAYMENT_RESULT") return undefined;
    return result.resultStatus === "S" ? "PAID" : "FAILED";
  },
  answer: '{"result":{"resultStatus":"S","resultCode":"SUCCESS","resultMessage":"success"}}',
};

const seenEvents = new Set<string>();
const eventKey = ({ paymentId, sequence }: Notification): string => `${paymentId} ${sequence}`;

/** The bugs by name. Each is a mistake that occurs in practice in receivers. */
const bugs: Readonly<Record<string, Partial<ReceiverSteps>>> = {
  none: {},
  "verifies nothing": { hasValidSignature: () => true, isFresh: () => true },
  "verifies JSON that it parsed and wrote again": {
    hasValidSignature: (request) =>
      correctSteps.hasValidSignature({
        ...request,
        body: Buffer.from(JSON.stringify(JSON.parse(request.body.toString("utf8")))),
      }),
  },
  "verifies without the query": {
    hasValidSignature: (request) =>
      correctSteps.hasValidSignature({ ...request, path: request.path.split("?")[0] ?? "" }),
  },
  "accepts webhooks of any time": { isFresh: () => true },
  "accepts webhooks for other merchants": {
    hasValidSignature: (request) => signatureHolds(request, request.signature, key),
  },
  "answers OK": { answer: "OK" },
  "rejects a webhook that it has already applied": {
    isNewer(notification) {
      if (!correctSteps.isNewer(notification)) throw new Error("duplicate key");
      return true;
    },
  },
  "applies a repeated webhook again": { isNewer: () => true },
  "lets the older overwrite the newer": {
    isNewer: (notification) => !seenEvents.has(eventKey(notification)),
    remember: (notification) => void seenEvents.add(eventKey(notification)),
  },
  "marks failed payments as paid": {
    statusAfter: ({ notifyType }) => (notifyType === "PAYMENT_RESULT" ? "PAID" : undefined),
  },
  "marks pending payments as paid": {
    statusAfter: ({ result }) => (result.resultStatus === "S" ? "PAID" : "FAILED"),
  },
  "remembers a webhook that it could not apply": {
    isNewer(notification) {
      const isNewer = correctSteps.isNewer(notification);
      correctSteps.remember(notification);
      return isNewer;
    },
  },
  "crashes on unreadable input": {
    parse(body) {
      try {
        return correctSteps.parse(body);
      } catch {
        process.exit(1);
      }
    },
  },
};

const orders = new Map<string, Order>();

function apply(steps: ReceiverSteps, notification: Notification): void {
  if (!steps.isNewer(notification)) return;
  const status = steps.statusAfter(notification);
  if (status !== undefined) {
    const order = orders.get(notification.paymentRequestId);
    if (!order) throw new Error("The order does not exist yet.");
    order.status = status;
    order.changes += 1;
  }
  steps.remember(notification);
}

function formatOrder(body: Buffer): string {
  const { paymentRequestId } = JSON.parse(body.toString("utf8")) as { paymentRequestId: string };
  const order = orders.get(paymentRequestId) ?? { status: "WAITING", changes: 0 };
  orders.set(paymentRequestId, order);
  return JSON.stringify({ paymentRequestId, ...order });
}

async function answer(request: IncomingMessage): Promise<readonly [status: number, text: string]> {
  const { url: path = "", headers, method } = request;
  const [, fault = "", endpoint = ""] = /^\/([^/]+)\/(\w+)/.exec(path) ?? [];
  const body = await buffer(request);
  if (endpoint === "orders") return [200, formatOrder(body)];
  const steps: ReceiverSteps = { ...correctSteps, ...bugs[decodeURIComponent(fault)] };
  const header = (name: string): string => String(headers[name] ?? "");
  const message = { path, clientId: header("client-id"), time: header("request-time"), body };
  const isAuthentic =
    method === "POST" && steps.hasValidSignature({ ...message, signature: header("signature") });
  if (!isAuthentic || !steps.isFresh(message.time)) return [401, ""];
  apply(steps, steps.parse(body));
  return [200, steps.answer];
}

const server = createServer((request, response) => {
  void answer(request)
    .catch(() => [500, ""] as const)
    .then(([status, text]) => response.writeHead(status, { "content-type": "application/json" }).end(text));
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
