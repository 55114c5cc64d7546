import { randomUUID } from "node:crypto";
import { toWireTime } from "../src/protocol/wire-time.ts";

/** A fault of the provider that a test injects into its next matching request. */
export type FakeFault =
  /** Acts, and sends no answer. */
  | "answer-lost"
  /** Acts, answers 500, and stores this answer under the idempotency key. */
  | "acted-500"
  /** Does not act, answers 500, and stores this answer under the idempotency key. */
  | "failed-500"
  | "rate-limited"
  /** Sends no webhook about the next change. */
  | "no-webhook"
  /** Sends the webhook about the next change twice. */
  | "webhook-twice"
  /** Declines the next order at once, or rejects the next operation. */
  | "rejected"
  /** The next capture or refund stays pending until `finish`. */
  | "operation-pending";

/** A payment of the fake provider. */
export interface FakePayment {
  readonly id: string;
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly hold: boolean;
  readonly buyer: unknown;
  status: "open" | "pending" | "paid" | "held" | "declined" | "closed";
  paidAt?: string;
  declineCode?: string;
}

/** A capture or a refund of the fake provider. */
export interface FakeOperation {
  readonly id: string;
  readonly kind: "capture" | "refund";
  readonly reference: string;
  readonly payment: FakePayment;
  readonly amount: number;
  status: "pending" | "done" | "failed";
  at: string;
}

export interface StoredAnswer {
  readonly status: number;
  readonly body: object;
}

export interface FakeRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Records {
  readonly url: () => string;
  readonly payments: FakePayment[];
  readonly operations: FakeOperation[];
  take(...kinds: readonly FakeFault[]): FakeFault | undefined;
}

const notFound = { status: 404, body: {} };

/** `decideRequest` carries out a request of the provider's API. */
export function decideRequest(records: Records, { method, url, body }: FakeRequest): StoredAnswer {
  const { pathname, searchParams } = new URL(url, "http://toy.example");
  const [, collection = "", id, verb] = pathname.split("/");
  if (method === "GET") return find(records, collection, searchParams.get("reference") ?? "");
  if (id === undefined) return create(records, body);
  const payment = records.payments.find((each) => each.id === id);
  if (!payment) return notFound;
  if (verb === "cancel") return cancel(records, payment);
  return operate(records, payment, { ...body, kind: verb === "captures" ? "capture" : "refund" });
}

function find({ payments, operations, url }: Records, collection: string, reference: string): StoredAnswer {
  const payment =
    collection === "payments" ? payments.find((each) => each.reference === reference) : undefined;
  if (payment) return { status: 200, body: view(payment, url()) };
  const operation = operations.find((each) => `${each.kind}s` === collection && each.reference === reference);
  return operation ? { status: 200, body: operation } : notFound;
}

function view(payment: FakePayment, url: string): object {
  return { ...payment, pageUrl: `${url}/page/${payment.id}` };
}

function create({ payments, take, url }: Records, fields: FakeRequest["body"]): StoredAnswer {
  if (take("rejected")) return { status: 422, body: { code: "fraud" } };
  const payment: FakePayment = {
    id: `toy_${randomUUID()}`,
    reference: String(fields["reference"]),
    amount: Number(fields["amount"]),
    currency: String(fields["currency"]),
    hold: fields["hold"] === true,
    buyer: fields["buyer"],
    status: "open",
  };
  payments.push(payment);
  return { status: 200, body: view(payment, url()) };
}

function cancel({ operations, url }: Records, payment: FakePayment): StoredAnswer {
  const isCaptured = operations.some((each) => each.payment === payment);
  if (["open", "pending", "held"].includes(payment.status) && !isCaptured) payment.status = "closed";
  return { status: 200, body: view(payment, url()) };
}

function operate(
  { operations, take }: Records,
  payment: FakePayment,
  { kind, reference, amount }: FakeRequest["body"] & { readonly kind: FakeOperation["kind"] },
): StoredAnswer {
  if (take("rejected")) return { status: 422, body: { code: "not_allowed" } };
  const operation: FakeOperation = {
    id: `toy_${kind}_${randomUUID()}`,
    kind,
    payment,
    status: take("operation-pending") ? "pending" : "done",
    reference: String(reference),
    amount: Number(amount),
    at: toWireTime(Date.now()),
  };
  operations.push(operation);
  return { status: 200, body: operation };
}
