import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  captureResponse,
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedStack,
  startScriptedProvider,
  type ProviderRequestFields,
  type ScriptedResponse,
} from "../../test/start/scripted-provider.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

/**
 * In these tests a payment provider reports a capture or a refund with other content than the request. The outcome
 * stays unknown, the ledger does not change, and the operator is alerted once.
 */
const stack = await startScriptedStack();
const { merchant, database } = stack;
const { clientId } = merchant;

/** The first request with each capture or refund reference, because an inquiry has only that reference. */
const requests = new Map<string, ProviderRequestFields>();
/** Maps an order reference to the wrong fields of the provider's reports. Without an entry a report is correct. */
const wrongFields = new Map<string, object>();

const provider = await startScriptedProvider("misreporting", ({ verb, fields }): ScriptedResponse => {
  const moneyReference = fields.captureReference ?? fields.refundReference;
  if (moneyReference === undefined)
    return orderResponse(fields.reference, verb === "cancel" ? "CLOSED" : "OPEN");
  if (!requests.has(moneyReference)) requests.set(moneyReference, fields);
  const request = requests.get(moneyReference) ?? fields;
  const report = verb.endsWith("capture") ? captureResponse : refundResponse;
  return report(request, wrongFields.get(request.reference));
});
await stack.connect(provider);
const { url, process: serving } = await stack.serve();
const working = await stack.work();
let logged = "";
for (const { child } of [serving, working])
  child.stdout?.on("data", (text: Buffer) => (logged += text.toString("utf8")));

const amount = { currency: "EUR", value: "1250" };
const cent = { currency: "EUR", value: "1" };

interface Operation {
  readonly verb: "capture" | "refund" | "cancel";
  readonly isManual: boolean;
  readonly body: (paymentId: string) => object;
  /** Maps the description of a difference to the fields that differ. */
  readonly differences: Readonly<Record<string, object>>;
}

const capture: Operation = {
  verb: "capture",
  isManual: true,
  body: (paymentId) => ({ captureRequestId: `c-${paymentId}`, paymentId, captureAmount: amount }),
  differences: {
    "another amount": { amount: cent },
    "another currency": { amount: { currency: "USD", value: "1250" } },
    "another order": { reference: "another-order" },
    "another capture reference": { captureReference: "another-capture" },
    "EUR 0.01, as processing and without a time": {
      amount: cent,
      state: "PROCESSING",
      captureTime: undefined,
    },
  },
};
const refund: Operation = {
  verb: "refund",
  isManual: false,
  body: (paymentId) => ({ refundRequestId: `r-${paymentId}`, paymentId, refundAmount: amount }),
  differences: {
    "another amount": { amount: cent },
    "another amount, as processing": { amount: cent, state: "PROCESSING" },
    "another currency": { amount: { currency: "USD", value: "1250" } },
    "another order": { reference: "another-order" },
    "another refund reference": { refundReference: "another-refund" },
  },
};
const cancel: Operation = {
  verb: "cancel",
  isManual: false,
  body: (paymentId) => ({ paymentId }),
  differences: { "another amount": { amount: cent } },
};

interface Submitted {
  readonly paymentId: string;
  readonly reference: string;
}

let submittedCount = 0;

async function submitPayment({ verb, isManual }: Operation): Promise<Submitted> {
  const manual = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  submittedCount += 1;
  const request = payRequest(`misreported-${verb}-${submittedCount}`, isManual ? manual : {});
  // The test retries while the process rejects requests because of overload.
  const { json } = await eventually(
    15_000,
    () => callPayments(url, merchant, "pay", request),
    (response) => response.json["paymentId"] !== undefined,
  );
  const paymentId = String(json["paymentId"]);
  const [row] = await asSuperuser<{ reference: string }>(
    "select provider_reference as reference from payments where payment_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  return { paymentId, reference: row?.reference ?? assert.fail("There is no such payment.") };
}

/** A payment that its buyer has approved: paid, or authorized. */
async function approvePayment(operation: Operation): Promise<Submitted> {
  const { paymentId, reference } = await submitPayment(operation);
  const order = paidOrder(reference, operation.isManual ? "AUTHORIZED" : "PAID");
  const content = { eventId: `e-${paymentId}`, reference, order };
  const callbackResponse = await provider.sendCallback(url, { clientId, subjectId: paymentId }, content);
  assert.equal(callbackResponse.json.result["resultStatus"], "S", callbackResponse.text);
  return { paymentId, reference };
}

/** Number of captures, refunds and cancels of a payment in the ledger. */
async function ledgerEffectsOf(paymentId: string): Promise<number> {
  const [row] = await asSuperuser<{ effects: number }>(
    `select count(distinct (subject_id, effect))::int as effects from ledger_transfers
     where client_id = $1 and effect in ('capture', 'refund', 'cancel') and (subject_id = $2 or subject_id in (
       select refund_id from refunds where payment_id = $2 union
       select capture_id from captures where payment_id = $2))`,
    [clientId, paymentId],
    database.superuserUrl,
  );
  return row?.effects ?? 0;
}

/** Number of requests for the captures or refunds of an order, or of inquiries about them. */
function countReceived(reference: string, kind: "request" | "inquiry"): number {
  const isAbout = ({ captureReference, refundReference }: ProviderRequestFields): boolean =>
    requests.get(captureReference ?? refundReference)?.reference === reference;
  return provider.requests.filter(
    ({ verb, fields }) => isAbout(fields) && verb.startsWith("inquire-") === (kind === "inquiry"),
  ).length;
}

function alertsFor(paymentId: string): number {
  return logged.split("\n").filter((line) => line.includes('"alert":true') && line.includes(paymentId))
    .length;
}

/** Checks that the merchant's request returns `U` until the provider has reported at least three times. */
async function staysUnknown({ verb, body }: Operation, { paymentId, reference }: Submitted): Promise<void> {
  for (const reports of [1, 2, 3]) {
    const { json } = await callPayments(url, merchant, verb, body(paymentId));
    assert.equal(json.result["resultStatus"], "U", JSON.stringify(json));
    await eventually(
      10_000,
      async () => countReceived(reference, "request") + countReceived(reference, "inquiry"),
      (received) => received >= reports,
    );
  }
  const { json } = await callPayments(url, merchant, verb, body(paymentId));
  assert.equal(json.result["resultStatus"], "U", JSON.stringify(json));
  assert.equal(await ledgerEffectsOf(paymentId), 0);
}

/** Makes the provider's reports correct, and checks that the request succeeds, and is posted to the ledger once. */
async function settlesOnce({ verb, body }: Operation, { paymentId, reference }: Submitted): Promise<void> {
  wrongFields.delete(reference);
  const { json } = await eventually(
    20_000,
    () => callPayments(url, merchant, verb, body(paymentId)),
    (response) => response.json.result["resultStatus"] !== "U",
  );
  assert.equal(json.result["resultCode"], "SUCCESS");
  assert.equal(await ledgerEffectsOf(paymentId), 1);
}

describe("misreported money", { concurrency: true }, () => {
  for (const operation of [capture, refund, cancel]) {
    const { verb, differences } = operation;
    for (const [difference, differingFields] of Object.entries(differences))
      test(`a ${verb} that is reported with ${difference} settles nothing and alerts once`, async () => {
        const payment = await approvePayment(operation);
        wrongFields.set(payment.reference, differingFields);
        await staysUnknown(operation, payment);
        assert.equal(alertsFor(payment.paymentId), 1);
        await settlesOnce(operation, payment);
        assert.equal(countReceived(payment.reference, "request"), 1, "A mismatch is followed by inquiries.");
        assert.equal(alertsFor(payment.paymentId), 1);
      });
  }

  for (const [difference, operation, differingFields] of [
    ["as processing", capture, { state: "PROCESSING" }],
    ["in an unknown state", capture, { state: "RECEIVED" }],
    ["without a time", capture, { captureTime: undefined }],
    ["without an amount", capture, { amount: undefined }],
    ["without its order", capture, { reference: undefined }],
    ["without a state", refund, { state: undefined }],
    ["as done without a time", refund, { refundTime: undefined }],
    ["without an amount", refund, { amount: undefined }],
  ] as const)
    test(`a ${operation.verb} that is reported ${difference} has no result, and is queried again`, async () => {
      const payment = await approvePayment(operation);
      wrongFields.set(payment.reference, differingFields);
      await staysUnknown(operation, payment);
      await settlesOnce(operation, payment);
    });

  for (const [difference, differingFields] of Object.entries({
    "another amount": { amount: cent },
    "another payment": { paymentId: "another-payment" },
  }))
    for (const state of ["PAID", "DECLINED", "CLOSED"] as const)
      test(`an order that is reported ${state} with ${difference} does not end its payment, and alerts`, async () => {
        const { paymentId, reference } = await submitPayment(refund);
        const order = { ...paidOrder(reference), state, ...differingFields };
        const content = { eventId: `e-${paymentId}`, reference, order };
        const callbackResponse = await provider.sendCallback(
          url,
          { clientId, subjectId: paymentId },
          content,
        );
        assert.equal(callbackResponse.json.result["resultStatus"], "S", callbackResponse.text);
        const { json } = await callPayments(url, merchant, "inquiryPayment", { paymentId });
        assert.equal(json["paymentStatus"], "PROCESSING");
        assert.equal(alertsFor(paymentId), 1);
      });

  test("the merchant sees no successful capture while its report differs", async () => {
    const payment = await approvePayment(capture);
    wrongFields.set(payment.reference, { amount: cent, state: "PROCESSING", captureTime: undefined });
    await staysUnknown(capture, payment);
    const { paymentId } = payment;
    const { json } = await callPayments(url, merchant, "inquiryPayment", { paymentId });
    const transactions = json["transactions"] as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(
      transactions.map((each) => [each["transactionType"], each["transactionStatus"]]),
      [["CAPTURE", "PROCESSING"]],
    );
  });
});
