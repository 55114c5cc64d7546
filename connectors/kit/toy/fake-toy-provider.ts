import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  decideRequest,
  type FakeFault,
  type FakeOperation,
  type FakePayment,
  type StoredAnswer,
} from "./fake-toy-state.ts";
import { toWireTime } from "../src/protocol/wire-time.ts";

interface WebhookOptions {
  readonly id?: string;
  readonly secret?: string;
}

/** A provider with state and faults. Like real providers it stores the answer of each idempotency key. */
export interface FakeToyProvider {
  readonly url: string;
  readonly payments: readonly FakePayment[];
  readonly operations: readonly FakeOperation[];
  /** The authorization headers of all requests. */
  readonly apiKeys: ReadonlySet<string>;
  /** The connector's address for webhooks. */
  webhooksUrl: string;
  inject(fault: FakeFault): void;
  /** An action of the buyer on the provider's page. */
  act(paymentReference: string, action: "approve" | "decline" | "pend"): void;
  /** Ends a pending operation; a refund that is done can fail. */
  finish(operationReference: string, status: "done" | "failed"): void;
  /** Returns the HTTP status of the response. */
  sendWebhook(subject: string, reference: string, options?: WebhookOptions): Promise<number>;
  stop(): Promise<void>;
}

/** The state of the fake, and the faults of its next requests. */
interface FakeState {
  readonly url: () => string;
  readonly payments: FakePayment[];
  readonly operations: FakeOperation[];
  readonly answers: Map<string, StoredAnswer>;
  readonly apiKeys: Set<string>;
  take(...kinds: readonly FakeFault[]): FakeFault | undefined;
}

export async function startFakeToyProvider(webhookSecret: string): Promise<FakeToyProvider> {
  const faults: FakeFault[] = [];
  const state: FakeState = {
    url: () => url,
    payments: [],
    operations: [],
    answers: new Map(),
    apiKeys: new Set(),
    take(...kinds) {
      const index = faults.findIndex((fault) => kinds.includes(fault));
      return index < 0 ? undefined : faults.splice(index, 1)[0];
    },
  };
  const server = createServer((request, response) => {
    void (async () => {
      const body = await readJson(request);
      const answer = respond(state, request, body);
      if (!answer) return response.destroy();
      const headers = { "content-type": "application/json" };
      return response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const webhooks = newWebhooks(webhookSecret);
  return Object.assign(webhooks, newBuyer(state, webhooks), {
    url,
    payments: state.payments,
    operations: state.operations,
    apiKeys: state.apiKeys,
    inject: (fault: FakeFault) => void faults.push(fault),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/** Returns the answer to a request; undefined if the answer is lost. */
function respond(
  state: FakeState,
  { method = "", url = "", headers }: IncomingMessage,
  body: Readonly<Record<string, unknown>>,
): StoredAnswer | undefined {
  const { take, answers, apiKeys } = state;
  apiKeys.add(headers.authorization ?? "");
  const key = headers["idempotency-key"];
  const isSend = method === "POST";
  if (isSend && take("rate-limited")) return { status: 429, body: {} };
  let answer = typeof key === "string" ? answers.get(key) : undefined;
  if (!answer) {
    const fault = isSend ? take("acted-500", "failed-500") : undefined;
    const decided = fault === "failed-500" ? undefined : decideRequest(state, { method, url, body });
    answer = fault || !decided ? { status: 500, body: {} } : decided;
    if (typeof key === "string") answers.set(key, answer);
  }
  return isSend && take("answer-lost") ? undefined : answer;
}

interface Webhooks extends Pick<FakeToyProvider, "sendWebhook"> {
  webhooksUrl: string;
}

function newWebhooks(secret: string): Webhooks {
  const webhooks: Webhooks = {
    webhooksUrl: "",
    async sendWebhook(subject, reference, { id = randomUUID(), secret: key = secret } = {}) {
      const body = JSON.stringify({ eventId: id, subject, reference });
      const signature = createHmac("sha256", key).update(body).digest("hex");
      const headers = { "toy-signature": signature, "content-type": "application/json" };
      return (await fetch(`${webhooks.webhooksUrl}/default`, { method: "POST", headers, body })).status;
    },
  };
  return webhooks;
}

/** The buyer, and the decisions of the provider. */
function newBuyer(
  { payments, operations, take }: FakeState,
  webhooks: Webhooks,
): Pick<FakeToyProvider, "act" | "finish"> {
  const notify = (subject: string, reference: string): void => {
    if (take("no-webhook") || webhooks.webhooksUrl === "") return;
    const id = randomUUID();
    for (let times = take("webhook-twice") ? 2 : 1; times > 0; times -= 1)
      webhooks.sendWebhook(subject, reference, { id }).catch(() => undefined);
  };
  return {
    act(reference, action) {
      const payment = payments.findLast((each) => each.reference === reference);
      if (!payment || !["open", "pending"].includes(payment.status))
        throw new Error(`${reference} is not open.`);
      const approved = payment.hold ? "held" : "paid";
      payment.status = { approve: approved, decline: "declined", pend: "pending" }[
        action
      ] as FakePayment["status"];
      if (action === "approve") payment.paidAt = toWireTime(Date.now());
      if (action === "decline") payment.declineCode = "no_money";
      notify("order", reference);
    },
    finish(reference, status) {
      const operation = operations.find((each) => each.reference === reference);
      if (!operation) throw new Error(`${reference} is not an operation.`);
      operation.status = status;
      operation.at = toWireTime(Date.now());
      notify(operation.kind, reference);
    },
  };
}

async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
}
