import { setTimeout as wait } from "node:timers/promises";
import { parseWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { ensure, requiredCase, type Case, type CaseGroup } from "../conformance-case.ts";
import type { Callback, CallbackAddress, CallbackResponse } from "./callback-listener.ts";
import {
  amountIn,
  buildFields,
  captureOperation,
  fullAmount,
  move,
  readReport,
  refundOperation,
  type MoneyOperation,
} from "./money-operation.ts";
import {
  call,
  inquireOrder,
  oneMinuteAhead,
  readOrder,
  requireCode,
  requireState,
  requireSuccess,
  submitOrder,
  type Fields,
  type ProviderContext,
  type ProviderOrder,
} from "./provider-context.ts";

type ProviderCase = Case<ProviderContext>;

/** An approved order, with the address that receives its callbacks. */
interface Scene {
  readonly order: ProviderOrder;
  readonly address: CallbackAddress;
}

/** Creates an approved order. With a fault, the sandbox provider keeps the next operation of the order in progress. */
async function prepareScene(
  context: ProviderContext,
  terms: Fields,
  fault: string | undefined,
  ...responses: CallbackResponse[]
): Promise<Scene> {
  context.buyer.requireControl();
  const address = context.callbacks.open(...responses);
  const submitted = await submitOrder(context, { callbackUrl: address.url, ...terms });
  const { reference, paymentId } = submitted;
  if (fault !== undefined) await context.buyer.control("faults", { kind: fault, match: { paymentId } });
  await context.buyer.decide(submitted, "approve");
  // The first callback is about the approval. Its response must be used up before an operation starts.
  await address.waitForCallbacks(1, context.patienceMs);
  return { order: await inquireOrder(context, reference), address };
}

/** A capture or a refund that the provider has accepted, and that is in progress. */
interface PendingMoney extends Scene {
  readonly requested: Fields;
  /** The report in the response. */
  readonly accepted: Fields;
}

async function startMoney(
  context: ProviderContext,
  kind: MoneyOperation,
  ...responses: CallbackResponse[]
): Promise<PendingMoney> {
  const scene = await prepareScene(context, kind.terms, `${kind.verb}-pending`, ...responses, "S");
  const requested = buildFields(context, kind, scene.order, fullAmount);
  const answer = await call(context, kind.verb, requested);
  requireSuccess(answer, kind.verb);
  const accepted = readReport(answer, kind);
  const { state } = accepted;
  ensure(state === "PROCESSING", `The response reports ${String(state)}, and not PROCESSING.`);
  return { ...scene, requested, accepted };
}

/** Ends the capture or refund at the sandbox provider, or fails it. */
async function endMoney(
  { buyer }: ProviderContext,
  { verb, referenceField }: MoneyOperation,
  requested: Fields,
  action: "finish" | "fail",
): Promise<void> {
  await buyer.control(`${verb}s/${String(requested[referenceField])}/${action}`);
}

/** Polls until the capture or refund has this state, as the gateway does, and checks the report. */
async function pollMoney(
  context: ProviderContext,
  kind: MoneyOperation,
  requested: Fields,
  state: string,
): Promise<void> {
  const inquiry = { [kind.referenceField]: requested[kind.referenceField] };
  const inquire = async (): Promise<Fields> => {
    const answer = await call(context, `inquire-${kind.verb}`, inquiry);
    requireSuccess(answer, `inquire-${kind.verb}`);
    return readReport(answer, kind);
  };
  const report = await poll(context, inquire, (found) => found["state"] === state);
  requireReport(report, kind, requested, state);
}

/** Repeats `read` until its result is the expected one or the patience ends, and returns the last result. */
async function poll<Result>(
  { patienceMs }: ProviderContext,
  read: () => Promise<Result> | Result,
  isExpected: (result: Result) => boolean,
): Promise<Result> {
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    const result = await read();
    if (isExpected(result) || performance.now() >= giveUpAtMs) return result;
    await wait(20);
  }
}

/** Requires that a report repeats its request, and has the fields of its state. */
function requireReport(report: Fields, kind: MoneyOperation, requested: Fields, state: string): void {
  const { referenceField, timeField, idField } = kind;
  ensure(report["state"] === state, `The ${kind.verb} is ${String(report["state"])}, and not ${state}.`);
  for (const field of ["reference", referenceField])
    ensure(
      report[field] === requested[field],
      `The report has the ${field} ${String(report[field])}, and not ${String(requested[field])}.`,
    );
  ensure(
    amountIn(report) === amountIn(requested),
    `The report has the amount ${amountIn(report)}, and not ${amountIn(requested)}.`,
  );
  ensure(typeof report[idField] === "string", `${idField} is missing.`);
  const { [timeField]: time, resultCode } = report;
  if (state === "DONE")
    ensure(typeof time === "string" && parseWireTime(time) !== undefined, `${timeField} is ${String(time)}.`);
  if (state === "FAILED")
    ensure(typeof resultCode === "string" && resultCode !== "", `resultCode is ${String(resultCode)}.`);
}

/** The received callbacks with this field, such as `capture`, when `count` have arrived or the patience has ended. */
async function waitForCallbacks(
  context: ProviderContext,
  address: CallbackAddress,
  field: string,
  count = 1,
): Promise<readonly Callback[]> {
  const read = (): readonly Callback[] => address.received.filter(({ json }) => json[field] !== undefined);
  return poll(context, read, (found) => found.length >= count);
}

function moneyCases(kind: MoneyOperation): readonly ProviderCase[] {
  const { verb, referenceField } = kind;
  return [
    requiredCase(
      `${verb}-in-progress`,
      `a ${verb} that takes time is PROCESSING, and then DONE`,
      `Report PROCESSING in the response and in inquire-${verb} until the money is moved, and then DONE with ${kind.timeField} and the requested amount.`,
      async (context) => {
        const { requested, accepted } = await startMoney(context, kind);
        requireReport(accepted, kind, requested, "PROCESSING");
        await pollMoney(context, kind, requested, "PROCESSING");
        await endMoney(context, kind, requested, "finish");
        await pollMoney(context, kind, requested, "DONE");
      },
    ),
    requiredCase(
      `${verb}-in-progress-failed`,
      `a ${verb} that fails after its response is FAILED permanently, and its amount is available again`,
      `Keep the ${verb} with its resultCode: inquiries and repeats report FAILED, and a ${verb} with a new ${referenceField} is possible.`,
      async (context) => {
        const { order, requested } = await startMoney(context, kind);
        await endMoney(context, kind, requested, "fail");
        await pollMoney(context, kind, requested, "FAILED");
        const repeated = await call(context, verb, requested);
        requireReport(readReport(repeated, kind), kind, requested, "FAILED");
        requireSuccess(await move(context, kind, order, fullAmount), `the ${verb} with a new reference`);
      },
    ),
    requiredCase(
      `${verb}-callback`,
      `the end of a ${verb} that was in progress is sent to the order's callbackUrl, signed`,
      `POST eventId, reference and ${verb} at every change that the response did not report. Every callback repeats the references and the amount of its request, also if it arrives before the response.`,
      async (context) => {
        const { order, address, requested } = await startMoney(context, kind);
        await endMoney(context, kind, requested, "finish");
        const read = (): readonly Callback[] =>
          address.received.filter(({ json }) => json[verb] !== undefined);
        const isDone = ({ json }: Callback): boolean => (json[verb] as Fields)["state"] === "DONE";
        const callbacks = await poll(context, read, (found) => found.some(isDone));
        ensure(callbacks.some(isDone), `No callback with a ${verb} that is DONE arrived.`);
        for (const { eventId, reference, isSignatureValid, isFresh, json } of callbacks) {
          ensure(typeof eventId === "string" && eventId !== "", "eventId is missing.");
          ensure(reference === order.reference, "The reference belongs to another order.");
          ensure(isSignatureValid, "The signature is not valid.");
          ensure(isFresh, "The time is more than ten minutes from our clock.");
          const report = json[verb] as Fields;
          requireReport(report, kind, requested, String(report["state"]));
        }
      },
    ),
    requiredCase(
      `${verb}-callback-repeated`,
      `a callback about a ${verb} is repeated until it is acknowledged`,
      "Repeat with the same eventId until the response is HTTP 200, signed by the gateway, with resultStatus S.",
      async (context) => {
        const { address, requested } = await startMoney(context, kind, "S", "HTTP 500");
        await endMoney(context, kind, requested, "fail");
        const [first, repeated] = await waitForCallbacks(context, address, verb, 2);
        ensure(first !== undefined, `No callback with a ${verb} arrived.`);
        ensure(repeated !== undefined, `No repeat arrived within ${context.patienceMs / 1000} s.`);
        ensure(first.eventId === repeated.eventId, "The repeat has another eventId.");
        ensure(repeated.isSignatureValid, "The signature of the repeat is not valid.");
      },
    ),
  ];
}

const refundReturned: ProviderCase = requiredCase(
  "refund-returned",
  "a refund that the buyer's bank returns is FAILED after it was DONE, and can be refunded again",
  "Report FAILED with resultCode in a callback and in inquire-refund, and let a refund with a new reference return the amount.",
  async (context) => {
    const { order, address } = await prepareScene(context, {}, undefined, "S");
    const requested = buildFields(context, refundOperation, order, fullAmount);
    requireSuccess(await call(context, "refund", requested), "refund");
    await pollMoney(context, refundOperation, requested, "DONE");
    await endMoney(context, refundOperation, requested, "fail");
    await pollMoney(context, refundOperation, requested, "FAILED");
    const [callback] = await waitForCallbacks(context, address, "refund");
    ensure(callback !== undefined, "No callback with a refund arrived.");
    requireReport(callback.json["refund"] as Fields, refundOperation, requested, "FAILED");
    requireSuccess(await move(context, refundOperation, order, fullAmount), "the second refund");
  },
);

/** Polls until the order has this state and its cancel this state, as the gateway does. */
async function pollCancel(
  context: ProviderContext,
  { reference }: ProviderOrder,
  state: string,
  cancelState: string,
): Promise<ProviderOrder> {
  const found = await poll(
    context,
    () => inquireOrder(context, reference),
    (order) => order.state === state && cancelOf(order)["state"] === cancelState,
  );
  requireCancel(found, state, cancelState);
  return found;
}

function cancelOf({ fields }: ProviderOrder): Fields {
  return (fields["cancel"] ?? {}) as Fields;
}

function requireCancel(order: ProviderOrder, state: string, cancelState: string): void {
  requireState(order, state);
  const { state: found } = cancelOf(order);
  ensure(found === cancelState, `Its cancel is ${String(found)}, and not ${cancelState}.`);
}

async function cancelOrder(context: ProviderContext, { reference }: ProviderOrder): Promise<ProviderOrder> {
  const answer = await call(context, "cancel", { reference, notAfter: oneMinuteAhead() });
  requireSuccess(answer, "cancel");
  return readOrder(answer, reference);
}

const cancelCases: readonly ProviderCase[] = [
  requiredCase(
    "cancel-in-progress",
    "an order keeps its state while its cancel is PROCESSING, and then is CLOSED",
    "Answer S with the order in its state, cancel PROCESSING and a higher sequence. Report CLOSED, with cancel DONE, in a callback and in inquire.",
    async (context) => {
      const { order, address } = await prepareScene(context, captureOperation.terms, "cancel-pending", "S");
      const pending = await cancelOrder(context, order);
      requireCancel(pending, "AUTHORIZED", "PROCESSING");
      const [before, after] = [order, pending].map(({ fields }) => Number(fields["sequence"]));
      ensure(Number(after) > Number(before), "The sequence did not increase.");
      requireCancel(await cancelOrder(context, order), "AUTHORIZED", "PROCESSING");
      await context.buyer.control(`payments/${order.paymentId}/finish-cancel`);
      await pollCancel(context, order, "CLOSED", "DONE");
      const read = (): readonly Callback[] =>
        address.received.filter(({ json }) => ((json["order"] ?? {}) as Fields)["state"] === "CLOSED");
      const closed = await poll(context, read, (found) => found.length > 0);
      ensure(closed.length > 0, "No callback with the CLOSED order arrived.");
    },
  ),
  requiredCase(
    "cancel-in-progress-failed",
    "a cancel that fails after its response leaves the order as it was, and can be tried again",
    "Report cancel FAILED with resultCode and the order in its state. The next cancel is a new attempt.",
    async (context) => {
      const { order } = await prepareScene(context, captureOperation.terms, "cancel-pending", "S");
      await cancelOrder(context, order);
      await context.buyer.control(`payments/${order.paymentId}/fail-cancel`);
      const failed = await pollCancel(context, order, "AUTHORIZED", "FAILED");
      ensure(typeof cancelOf(failed)["resultCode"] === "string", "resultCode is missing.");
      requireState(await cancelOrder(context, order), "CLOSED");
    },
  ),
];

const holdCases: readonly ProviderCase[] = [
  requiredCase(
    "hold-lapsed",
    "a hold that expires at the provider makes its order LAPSED, and takes no more captures",
    "Report LAPSED in a callback and in inquire. Answer a later capture with F ORDER_STATUS_INVALID.",
    async (context) => {
      const { order, address } = await prepareScene(context, captureOperation.terms, undefined, "S");
      await context.buyer.control(`payments/${order.paymentId}/lapse`);
      const inquire = (): Promise<ProviderOrder> => inquireOrder(context, order.reference);
      requireState(await poll(context, inquire, ({ state }) => state === "LAPSED"), "LAPSED");
      const [, callback] = await waitForCallbacks(context, address, "order", 2);
      const { state } = (callback?.json["order"] ?? {}) as Fields;
      ensure(state === "LAPSED", `The order in the callback is ${String(state)}, and not LAPSED.`);
      requireCode(await move(context, captureOperation, order, fullAmount), "ORDER_STATUS_INVALID");
    },
  ),
  requiredCase(
    "hold-lapsed-in-progress",
    "a capture that is PROCESSING when its hold expires is still decided",
    "Let a capture that was accepted become DONE or FAILED, whatever happens to its order.",
    async (context) => {
      const { order, requested } = await startMoney(context, captureOperation);
      await context.buyer.control(`payments/${order.paymentId}/lapse`);
      await endMoney(context, captureOperation, requested, "finish");
      await pollMoney(context, captureOperation, requested, "DONE");
    },
  ),
];

/** Cases about operations whose result comes after their response. They need the sandbox provider's control interface. */
export const operationsInProgressCases: CaseGroup<ProviderContext> = {
  name: "Operations in progress",
  cases: [
    ...moneyCases(captureOperation),
    ...moneyCases(refundOperation),
    refundReturned,
    ...cancelCases,
    ...holdCases,
  ],
};
