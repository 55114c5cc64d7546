import assert from "node:assert/strict";
import {
  captureResponse,
  failureResponse,
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedProvider,
  startScriptedStack,
  successResponse,
  type ProviderRequest,
  type ProviderRequestFields,
  type ScriptedProvider,
  type ScriptedResponse,
  type ScriptedStack,
} from "./scripted-provider.ts";
import { asSuperuser } from "./test-database.ts";
import { call, pathOf, type ReceivedAnswer } from "./test-gateway.ts";
import { eventually, type TestProcess } from "./test-process.ts";
import { payRequest } from "./test-stack.ts";

export const amount = { currency: "EUR", value: "1250" };
const manual = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };

/** Fields of an order or of a capture or refund that differ from their usual value. */
type Difference = Readonly<Record<string, unknown>>;

/**
 * A provider that accepts every capture, refund and cancel of a hold as `PROCESSING`, and ends it when the test says so.
 * It repeats the first response to a repeated request.
 */
export interface AsynchronousProvider extends ScriptedProvider {
  /** Sets the state of a capture or refund, by its reference. */
  endMoney(reference: string, state: "DONE" | "FAILED", resultCode?: string): void;
  /** Sets fields of an authorized order, such as its `cancel`. */
  changeOrder(reference: string, difference: Difference): void;
  /** Responses other than the usual ones, by the reference of an order, a capture or a refund. */
  readonly interceptors: Map<string, Interceptor>;
}

type Interceptor = (
  request: ProviderRequest,
  respond: () => ScriptedResponse,
) => ScriptedResponse | Promise<ScriptedResponse>;

export async function startAsynchronousProvider(name: string): Promise<AsynchronousProvider> {
  const money = new Map<
    string,
    { readonly request: ProviderRequestFields; readonly difference: Difference }
  >();
  const orders = new Map<string, Difference>();
  const report = (verb: string, fields: ProviderRequestFields): ScriptedResponse => {
    const reference = fields.captureReference ?? fields.refundReference;
    if (!money.has(reference)) {
      if (verb.startsWith("inquire")) return failureResponse("ORDER_NOT_EXIST");
      money.set(reference, { request: fields, difference: { state: "PROCESSING" } });
    }
    const { request, difference } = money.get(reference) ?? assert.fail();
    return (verb.endsWith("capture") ? captureResponse : refundResponse)(request, difference);
  };
  const respond = ({ verb, fields }: ProviderRequest): ScriptedResponse => {
    const { reference } = fields;
    if (fields.captureReference ?? fields.refundReference) return report(verb, fields);
    if (verb === "submit") return orderResponse(reference, "OPEN");
    const before = orders.get(reference) ?? {};
    const { state } = Object(before["cancel"]) as { readonly state?: string };
    // A cancel after a failed one is a new attempt, and a repeated cancel is not.
    if (verb === "cancel" && (state === undefined || state === "FAILED"))
      orders.set(reference, { ...before, cancel: { state: "PROCESSING" } });
    return successResponse({ order: { ...paidOrder(reference, "AUTHORIZED"), ...orders.get(reference) } });
  };
  const interceptors = new Map<string, Interceptor>();
  const provider = await startScriptedProvider(name, (request) => {
    const { reference, captureReference, refundReference } = request.fields;
    const [intercept] = [captureReference, refundReference, reference].flatMap(
      (each) => interceptors.get(each) ?? [],
    );
    return intercept ? intercept(request, () => respond(request)) : respond(request);
  });
  return Object.assign(provider, {
    interceptors,
    endMoney(reference: string, state: string, resultCode = "PROCESS_FAIL") {
      const { request } = money.get(reference) ?? assert.fail(`The provider has no ${reference}.`);
      money.set(reference, { request, difference: { state, ...(state === "FAILED" && { resultCode }) } });
    },
    changeOrder(reference: string, difference: Difference) {
      orders.set(reference, { ...orders.get(reference), ...difference });
    },
  });
}

export interface ApprovedPayment {
  readonly paymentId: string;
  readonly reference: string;
}

/** A merchant and an asynchronous provider at one gateway, which consists of one process of each kind. */
export interface TestTill {
  readonly environment: "sandbox" | "live";
  readonly stack: ScriptedStack;
  readonly provider: AsynchronousProvider;
  /** The gateway's address, which changes with each start of its processes. */
  url: string;
  /** Starts both processes, after the earlier ones are killed. */
  restart(): Promise<void>;
  /** The logged alerts for a payment or its records. */
  alertsFor(id: string): readonly string[];
}

export async function startTestTill(environment: "sandbox" | "live" = "sandbox"): Promise<TestTill> {
  const [stack, provider] = [
    await startScriptedStack(environment),
    await startAsynchronousProvider("asynchronous"),
  ];
  await stack.connect(provider, { methods: ["GCASH"] });
  let [logged, running]: [string, readonly TestProcess[]] = ["", []];
  const till: TestTill = {
    environment,
    stack,
    provider,
    url: "",
    async restart() {
      for (const each of running) each.kill("SIGKILL");
      const [served, working] = await Promise.all([stack.serve(), stack.work()]);
      running = [served.process, working];
      for (const { child } of running)
        child.stdout?.on("data", (text: Buffer) => (logged += text.toString("utf8")));
      till.url = served.url;
    },
    alertsFor: (id) =>
      logged.split("\n").filter((line) => line.includes('"alert":true') && line.includes(id)),
  };
  await till.restart();
  return till;
}

export async function sendRequest(
  { environment, stack, url }: TestTill,
  operation: string,
  body: object,
): Promise<ReceivedAnswer["json"]> {
  const path = pathOf(environment, `payments/${operation}`);
  return (await call(url, stack.merchant, { path, body: JSON.stringify(body) })).json;
}

/** Repeats a request until its result is final, and returns the result code. */
export async function finalCode(till: TestTill, operation: string, body: object): Promise<unknown> {
  const { result } = await eventually(
    60_000,
    () => sendRequest(till, operation, body),
    (json) => json.result["resultStatus"] !== "U",
  );
  return result["resultCode"];
}

export function rows<Row extends object>(
  { stack }: TestTill,
  sql: string,
  ...values: readonly unknown[]
): Promise<readonly Row[]> {
  return asSuperuser<Row>(sql, [...values], stack.database.superuserUrl);
}

/** A payment that its buyer has approved: paid, or authorized. */
export async function approvePayment(
  till: TestTill,
  name: string,
  captureMode: "AUTOMATIC" | "MANUAL",
  method = "GCASH",
): Promise<ApprovedPayment> {
  const isHeld = captureMode === "MANUAL";
  const body = payRequest(name, {
    paymentMethod: { paymentMethodType: method },
    ...(isHeld && manual),
  });
  // The test retries while the process rejects requests because of overload.
  const { paymentId } = await eventually(
    60_000,
    () => sendRequest(till, "pay", body),
    (json) => json["paymentId"] !== undefined,
  );
  const find = (): Promise<readonly { readonly reference: string }[]> =>
    rows(
      till,
      `select provider_reference as reference from payments
       where payment_id = $1 and provider_accepted_at is not null`,
      paymentId,
    );
  const [row] = await eventually(60_000, find, ({ length }) => length === 1);
  const payment = { paymentId: String(paymentId), reference: row?.reference ?? "" };
  const order = paidOrder(payment.reference, isHeld ? "AUTHORIZED" : "PAID");
  // In live, the gateway confirms the callback by an inquiry.
  if (!isHeld) till.provider.changeOrder(payment.reference, { state: "PAID" });
  assert.equal(await sendCallback(till, payment, { order }), "SUCCESS");
  return payment;
}

let callbackCount = 0;

/** Sends a callback about an order, a capture or a refund, and returns the result code of the gateway's response. */
export async function sendCallback(
  { stack, provider, url }: TestTill,
  { paymentId, reference }: ApprovedPayment,
  content: object,
  sender: ScriptedProvider = provider,
): Promise<unknown> {
  callbackCount += 1;
  const about = { clientId: stack.merchant.clientId, subjectId: paymentId };
  const body = { eventId: `event-${callbackCount}`, reference, ...content };
  return (await sender.sendCallback(url, about, body)).json.result["resultCode"];
}

/** Makes the next poll of a record so late that only a callback can bring its result in time. */
export async function postponePolls(till: TestTill, subjectId: string): Promise<void> {
  const update = `update jobs set attempts = 99, due_at = now() + interval '15 minutes'
    where subject_id = $1 and follows_merchant_clock and due_at > now() returning 1`;
  await eventually(
    60_000,
    () => rows(till, update, subjectId),
    ({ length }) => length === 1,
  );
}
