import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { parseForm, type FormValue } from "./form.ts";
import { decideRequest, type StripeFault, type StripeObject, type StripeState } from "./fake-stripe-state.ts";

/** A request that the fake got, as the oracle for the form of messages gets it. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly contentType: string;
}

/** A stateful fake of the parts of Stripe's API that the connector uses. */
export interface FakeStripe {
  readonly host: string;
  readonly port: number;
  readonly state: StripeState;
  readonly requests: readonly RecordedRequest[];
  /** The secret keys and connected accounts of all requests. */
  readonly callers: ReadonlySet<string>;
  webhookUrl: string;
  inject(fault: StripeFault): void;
  /** The buyer pays, or the payment fails for good, on Stripe's page. */
  pay(reference: string, outcome?: "paid" | "processing" | "failed"): void;
  endProcessing(reference: string, outcome: "succeeded" | "requires_payment_method"): void;
  endRefund(reference: string, status: "succeeded" | "failed"): void;
  dispute(reference: string, status?: string): string;
  changeDispute(id: string, status: string): void;
  warn(reference: string): string;
  sendEvent(
    type: string,
    object: StripeObject,
    options?: { readonly secret?: string; readonly id?: string },
  ): Promise<number>;
  stop(): Promise<void>;
}

interface StoredAnswer {
  readonly status: number;
  readonly body: object;
}

export async function startFakeStripe(webhookSecret: string): Promise<FakeStripe> {
  const faults: StripeFault[] = [];
  const take = (...kinds: readonly StripeFault[]): StripeFault | undefined => {
    const index = faults.findIndex((fault) => kinds.includes(fault));
    return index < 0 ? undefined : faults.splice(index, 1)[0];
  };
  const state: StripeState = {
    sessions: [],
    intents: [],
    charges: [],
    refunds: [],
    disputes: [],
    warnings: [],
    take,
  };
  const answers = new Map<string, StoredAnswer>();
  const requests: RecordedRequest[] = [];
  const callers = new Set<string>();

  function respond(request: IncomingMessage, body: string): StoredAnswer | undefined {
    const { method = "", url = "", headers } = request;
    const contentType = headers["content-type"] ?? "";
    requests.push({ method, path: url, body, contentType });
    callers.add(`${headers.authorization ?? ""} ${String(headers["stripe-account"] ?? "")}`.trim());
    const key = headers["idempotency-key"];
    const isSend = method === "POST";
    if (isSend && take("rate-limited"))
      return errorAnswer(429, { type: "invalid_request_error", code: "rate_limit" });
    let answer = typeof key === "string" ? answers.get(key) : undefined;
    if (!answer) {
      const fault = isSend ? take("acted-500", "failed-500") : undefined;
      const fields: FormValue = contentType.startsWith("multipart/") ? {} : parseForm(body);
      const decided = fault === "failed-500" ? undefined : decideRequest(state, { method, url, fields });
      answer = fault || !decided ? errorAnswer(500, { type: "api_error" }) : decided;
      if (isSend && typeof key === "string" && answer.status !== 429) answers.set(key, answer);
    }
    return isSend && take("answer-lost") ? undefined : answer;
  }

  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const answer = respond(request, Buffer.concat(chunks).toString("latin1"));
      if (!answer) return response.destroy();
      const headers = { "content-type": "application/json", "request-id": `req_${randomUUID()}` };
      return response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const events = newEvents(webhookSecret, take);
  const { port } = server.address() as AddressInfo;
  return Object.assign(events, newActions(state, events.notify), newIssuer(state, events.notify), {
    host: "127.0.0.1",
    port,
    state,
    requests,
    callers,
    inject: (fault: StripeFault) => void faults.push(fault),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function errorAnswer(status: number, error: object): StoredAnswer {
  return { status, body: { error: { message: "an error", ...error } } };
}

interface Events extends Pick<FakeStripe, "sendEvent"> {
  webhookUrl: string;
  notify(type: string, object: StripeObject): void;
}

/** Sends events with Stripe's signature: an HMAC over the time and the raw body. */
function newEvents(webhookSecret: string, take: StripeState["take"]): Events {
  const events: Events = {
    webhookUrl: "",
    async sendEvent(type, object, { secret = webhookSecret, id = `evt_${randomUUID()}` } = {}) {
      const created = Math.floor(Date.now() / 1000);
      const event = { id, object: "event", type, created, livemode: false, data: { object } };
      const body = JSON.stringify(event);
      const signature = createHmac("sha256", secret).update(`${created}.${body}`).digest("hex");
      const headers = {
        "stripe-signature": `t=${created},v1=${signature}`,
        "content-type": "application/json",
      };
      return (await fetch(events.webhookUrl, { method: "POST", headers, body })).status;
    },
    notify(type, object) {
      if (take("no-webhook") || events.webhookUrl === "") return;
      const id = `evt_${randomUUID()}`;
      for (let times = take("webhook-twice") ? 2 : 1; times > 0; times -= 1)
        events.sendEvent(type, object, { id }).catch(() => undefined);
    },
  };
  return events;
}

type Actions = Pick<FakeStripe, "pay" | "endProcessing" | "endRefund">;

/** The actions of buyers and of Stripe itself. */
function newActions(state: StripeState, notify: Events["notify"]): Actions {
  const sessionOf = (reference: string): StripeObject => findSession(state, reference);
  const intentOf = (reference: string): StripeObject => findIntent(state, reference);
  return {
    pay(reference, outcome = "paid") {
      const session = sessionOf(reference);
      if (session["status"] !== "open") throw new Error(`${reference} is not open.`);
      const intent = intentOf(reference);
      const isManual = intent["capture_method"] === "manual";
      const paid = isManual ? "requires_capture" : "succeeded";
      intent["status"] = { paid, processing: "processing", failed: "requires_payment_method" }[outcome];
      if (outcome === "failed") intent["last_payment_error"] = { decline_code: "insufficient_funds" };
      Object.assign(session, { status: "complete", url: null });
      if (outcome === "paid") addCharge(state, intent);
      notify("checkout.session.completed", session);
    },
    endProcessing(reference, outcome) {
      const intent = intentOf(reference);
      intent["status"] = outcome;
      if (outcome === "succeeded") addCharge(state, intent);
      else intent["last_payment_error"] = { decline_code: "insufficient_funds" };
      notify(
        `checkout.session.async_payment_${outcome === "succeeded" ? "succeeded" : "failed"}`,
        sessionOf(reference),
      );
    },
    endRefund(reference, status) {
      const refund =
        state.refunds.find((each) => (each["metadata"] as StripeObject)["reference"] === reference) ??
        missing(reference);
      refund["status"] = status;
      notify(status === "failed" ? "refund.failed" : "refund.updated", refund);
    },
  };
}

type IssuerActions = Pick<FakeStripe, "dispute" | "changeDispute" | "warn">;

/** The actions of card issuers. */
function newIssuer(state: StripeState, notify: Events["notify"]): IssuerActions {
  const intentOf = (reference: string): StripeObject => findIntent(state, reference);
  return {
    dispute(reference, status = "needs_response") {
      const intent = intentOf(reference);
      const created = Math.floor(Date.now() / 1000);
      const dispute: StripeObject = {
        id: `du_${randomUUID().replaceAll("-", "")}`,
        object: "dispute",
        amount: intent["amount"],
        currency: intent["currency"],
        created,
        reason: "product_not_received",
        status,
        payment_intent: intent["id"],
        evidence: {},
        evidence_details: { due_by: created + 7 * 24 * 3600 },
      };
      state.disputes.push(dispute);
      notify("charge.dispute.created", dispute);
      return String(dispute["id"]);
    },
    changeDispute(id, status) {
      const dispute = state.disputes.find((each) => each["id"] === id) ?? missing(id);
      dispute["status"] = status;
      notify("charge.dispute.closed", dispute);
    },
    warn(reference) {
      const intent = intentOf(reference);
      const warning: StripeObject = {
        id: `issfr_${randomUUID().replaceAll("-", "")}`,
        object: "radar.early_fraud_warning",
        charge: intent["latest_charge"],
        payment_intent: intent["id"],
        created: Math.floor(Date.now() / 1000),
        fraud_type: "unauthorized_use_of_card",
      };
      state.warnings.push(warning);
      notify("radar.early_fraud_warning.created", warning);
      return String(warning["id"]);
    },
  };
}

function findSession({ sessions }: StripeState, reference: string): StripeObject {
  return sessions.findLast((each) => each["client_reference_id"] === reference) ?? missing(reference);
}

function findIntent(state: StripeState, reference: string): StripeObject {
  const id = findSession(state, reference)["payment_intent"];
  return state.intents.find((each) => each["id"] === id) ?? missing(reference);
}

function missing(name: string): never {
  throw new Error(`${name} does not exist.`);
}

function addCharge(state: StripeState, intent: StripeObject): void {
  const charge: StripeObject = {
    id: `ch_${randomUUID().replaceAll("-", "")}`,
    object: "charge",
    amount: intent["amount"],
    currency: intent["currency"],
    created: Math.floor(Date.now() / 1000),
    outcome: { network_decline_code: null },
    payment_method_details: {
      type: "card",
      card: {
        brand: "visa",
        last4: "4242",
        network_transaction_id: "104557651805572",
        checks: { address_line1_check: "pass", cvc_check: "pass" },
        three_d_secure: { result: "authenticated", authentication_flow: "challenge", version: "2.2.0" },
      },
    },
    balance_transaction: {
      object: "balance_transaction",
      fee: 61,
      currency: intent["currency"],
      available_on: Math.floor(Date.now() / 1000) + 2 * 24 * 3600,
    },
  };
  state.charges.push(charge);
  intent["latest_charge"] = charge["id"];
}
