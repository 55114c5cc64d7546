import { randomUUID } from "node:crypto";
import type { FormValue } from "./form.ts";

/** A fault that a test injects into the next request that changes something. */
export type StripeFault =
  | "answer-lost"
  | "acted-500"
  | "failed-500"
  | "rate-limited"
  | "no-webhook"
  | "webhook-twice"
  | "refund-pending"
  | "refund-rejected";

/** An object of the API. */
export type StripeObject = Record<string, unknown>;

export interface StripeState {
  readonly sessions: StripeObject[];
  readonly intents: StripeObject[];
  readonly charges: StripeObject[];
  readonly refunds: StripeObject[];
  readonly disputes: StripeObject[];
  readonly warnings: StripeObject[];
  take(...kinds: readonly StripeFault[]): StripeFault | undefined;
}

export interface StripeRequest {
  readonly method: string;
  readonly url: string;
  readonly fields: FormValue;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const missing: Answer = {
  status: 404,
  body: { error: { type: "invalid_request_error", code: "resource_missing", message: "No such object" } },
};

/** `decideRequest` carries out a request of the API. */
export function decideRequest(state: StripeState, { method, url, fields }: StripeRequest): Answer {
  const { pathname, searchParams } = new URL(url, "http://stripe.example");
  const path = pathname.replace("/v1/", "");
  const isPost = method === "POST";
  const parts = path.split("/");
  const [id = "", verb] = path.startsWith("checkout/sessions") ? parts.slice(2) : parts.slice(1);
  if (path === "checkout/sessions" && isPost) return createSession(state, fields);
  if (path === "checkout/sessions") return listSessions(state, searchParams);
  if (path.startsWith("checkout/sessions/"))
    return verb === "expire" ? expire(state, id) : readSession(state, id);
  if (path.startsWith("payment_intents/")) return changeIntent(state, id, verb, fields);
  if (path === "refunds" && isPost) return refund(state, fields);
  if (path === "refunds") return listRefunds(state, searchParams.get("payment_intent"));
  if (path === "files") return ok({ id: newId("file"), object: "file", purpose: "dispute_evidence" });
  if (path.startsWith("disputes/")) return changeDispute(state, id, { verb, fields, isPost });
  if (path.startsWith("radar/early_fraud_warnings/")) return readWarning(state, parts[2] ?? "");
  return missing;
}

function ok(body: object): Answer {
  return { status: 200, body };
}

function list(url: string, data: readonly object[]): Answer {
  return ok({ object: "list", url, has_more: false, data });
}

function refused(code: string): Answer {
  return { status: 400, body: { error: { type: "invalid_request_error", code, message: "Refused" } } };
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function createSession(state: StripeState, fields: FormValue): Answer {
  const intentData = (fields["payment_intent_data"] ?? {}) as FormValue;
  const [item] = Object.values(fields["line_items"] as FormValue) as FormValue[];
  const price = (item?.["price_data"] ?? {}) as FormValue;
  const intent: StripeObject = {
    id: newId("pi"),
    object: "payment_intent",
    amount: Number(price["unit_amount"]),
    amount_received: 0,
    currency: price["currency"],
    capture_method: intentData["capture_method"],
    metadata: intentData["metadata"] ?? {},
    status: "requires_payment_method",
    created: nowSeconds(),
    latest_charge: null,
    cancellation_reason: null,
    last_payment_error: null,
  };
  const id = newId("cs_test");
  const session: StripeObject = {
    id,
    object: "checkout.session",
    status: "open",
    url: `https://checkout.stripe.example/c/${id}`,
    client_reference_id: fields["client_reference_id"],
    metadata: fields["metadata"] ?? {},
    payment_intent: intent["id"],
    created: nowSeconds(),
  };
  state.intents.push(intent);
  state.sessions.push(session);
  return ok(session);
}

function withIntent(state: StripeState, session: StripeObject): StripeObject {
  const intent = state.intents.find((each) => each["id"] === session["payment_intent"]);
  const charge = state.charges.find((each) => each["id"] === intent?.["latest_charge"]);
  return { ...session, payment_intent: intent && { ...intent, latest_charge: charge ?? null } };
}

function readSession(state: StripeState, id: string): Answer {
  const session = state.sessions.find((each) => each["id"] === id);
  return session ? ok(withIntent(state, session)) : missing;
}

function listSessions(state: StripeState, query: URLSearchParams): Answer {
  const intent = query.get("payment_intent");
  const [from, to] = [
    Number(query.get("created[gte]") ?? 0),
    Number(query.get("created[lte]") ?? Number.MAX_SAFE_INTEGER),
  ];
  const found = state.sessions.filter((each) => {
    const created = Number(each["created"]);
    return (intent === null || each["payment_intent"] === intent) && created >= from && created <= to;
  });
  return list("/v1/checkout/sessions", found.toReversed());
}

function expire(state: StripeState, id: string): Answer {
  const session = state.sessions.find((each) => each["id"] === id);
  if (!session) return missing;
  if (session["status"] !== "open") return refused("session_not_open");
  Object.assign(session, { status: "expired", url: null });
  return ok(session);
}

function changeIntent(state: StripeState, id: string, verb: string | undefined, fields: FormValue): Answer {
  const intent = state.intents.find((each) => each["id"] === id);
  if (!intent) return missing;
  if (intent["status"] !== "requires_capture") return refused("payment_intent_unexpected_state");
  if (verb === "cancel") intent["status"] = "canceled";
  else {
    intent["status"] = "succeeded";
    intent["amount_received"] = Number(fields["amount_to_capture"] ?? intent["amount"]);
    Object.assign(intent["metadata"] as object, fields["metadata"] ?? {});
  }
  return ok(intent);
}

function refund(state: StripeState, fields: FormValue): Answer {
  const intent = state.intents.find((each) => each["id"] === fields["payment_intent"]);
  if (!intent) return missing;
  if (state.take("refund-rejected")) return refused("charge_already_refunded");
  const status = state.take("refund-pending") ? "pending" : "succeeded";
  const { amount, metadata, payment_intent: intentId } = fields;
  const made: StripeObject = {
    id: newId("re"),
    object: "refund",
    amount: Number(amount),
    currency: intent["currency"],
    payment_intent: intentId,
    metadata,
    status,
    created: nowSeconds(),
  };
  state.refunds.push(made);
  return ok(made);
}

function listRefunds(state: StripeState, intentId: string | null): Answer {
  return list(
    "/v1/refunds",
    state.refunds.filter((each) => each["payment_intent"] === intentId),
  );
}

function changeDispute(
  state: StripeState,
  id: string,
  {
    verb,
    fields,
    isPost,
  }: { readonly verb: string | undefined; readonly fields: FormValue; readonly isPost: boolean },
): Answer {
  const dispute = state.disputes.find((each) => each["id"] === id);
  if (!dispute) return missing;
  if (verb === "close") dispute["status"] = "lost";
  else if (isPost) {
    dispute["evidence"] = fields["evidence"];
    if (fields["submit"] === "true") dispute["status"] = "under_review";
  }
  return ok(dispute);
}

function readWarning(state: StripeState, id: string): Answer {
  const warning = state.warnings.find((each) => each["id"] === id);
  const charge = state.charges.find((each) => each["id"] === warning?.["charge"]);
  return warning ? ok({ ...warning, charge }) : missing;
}
