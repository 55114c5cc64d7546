import { createHash } from "node:crypto";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { ensure, requiredCase, NotObservable, type CaseGroup } from "../conformance-case.ts";
import type { CallbackAddress } from "./callback-listener.ts";
import { requireFacts } from "./facts-cases.ts";
import { buildFields, fullAmount, refundOperation, unsupportedCodes } from "./money-operation.ts";
import { callOptional, readRecord } from "./optional-operation-cases.ts";
import {
  call,
  createPaidOrder,
  inquireOrder,
  requireCode,
  requireState,
  requireSuccess,
  type Fields,
  type ProviderAnswer,
  type ProviderContext,
} from "./provider-context.ts";

export const disputeCases: CaseGroup<ProviderContext> = {
  name: "Disputes",
  cases: [
    requiredCase(
      "dispute-unknown",
      "an unknown dispute is RECORD_NOT_FOUND",
      "Answer F RECORD_NOT_FOUND.",
      async (context) =>
        requireCode(
          await callOptional(context, "disputes/inquire-dispute", {
            providerDisputeId: newRequestId("dispute"),
          }),
          "RECORD_NOT_FOUND",
        ),
    ),
    requiredCase(
      "dispute-accepted",
      "a dispute is sent in a callback, and accepted once",
      "POST the dispute to the order's callbackUrl; store one answer per answerReference permanently.",
      (context) => answerDisputeTwice(context, "accept-dispute", { reason: "MERCHANT_ACCEPTED" }, "ACCEPTED"),
    ),
    requiredCase(
      "dispute-defended",
      "a dispute is defended once, with ten documents of 1 MiB together",
      "Accept bodies of up to 1.5 MiB for defend-dispute; store one answer per answerReference permanently.",
      async (context) => {
        const type = await findEvidenceType(context);
        const evidence = Array.from({ length: 10 }, (_, index) =>
          buildDocument(index === 0 ? type : "OTHER", Buffer.alloc(index === 0 ? 104_855 : 104_857, index)),
        );
        await answerDisputeTwice(context, "defend-dispute", { reason: "DEFENDED", evidence }, "DEFENDED");
      },
    ),
    requiredCase(
      "dispute-evidence-damaged",
      "a document whose digest is wrong is rejected, and the dispute still waits for an answer",
      "Compare each document with its sha256; answer F PARAM_ILLEGAL, and store nothing.",
      async (context) => {
        const providerDisputeId = await createDispute(context);
        const document = buildDocument("OTHER", Buffer.from("%PDF-1.7"));
        const damaged = { ...document, content: Buffer.from("%PDF-1.6").toString("base64") };
        const answer = await callOptional(context, "disputes/defend-dispute", {
          providerDisputeId,
          answerReference: newRequestId("answer"),
          reason: "DEFENDED",
          evidence: [document, damaged],
        });
        requireCode(answer, "PARAM_ILLEGAL");
        requireDisputeState(await call(context, "disputes/inquire-dispute", { providerDisputeId }), "OPEN");
      },
    ),
    requiredCase(
      "dispute-wanted-evidence",
      "a dispute names wanted types of evidence that the facts name as well",
      "Send wantedEvidence with types of the protocol that evidenceTypes of your facts has.",
      async (context) => {
        const { evidenceTypes: stated } = await requireFacts(context);
        const [first] = stated;
        if (first === undefined) throw new NotObservable("the facts name no types of evidence.");
        const dispute = await openDispute(context, { wantedEvidence: [first] });
        const { wantedEvidence, providerDisputeId } = dispute;
        if (wantedEvidence === undefined) throw new NotObservable("the dispute names no wanted evidence.");
        const text = JSON.stringify(wantedEvidence);
        ensure(Array.isArray(wantedEvidence), `wantedEvidence is ${text}, and not a list.`);
        for (const type of wantedEvidence)
          ensure(
            stated.some((each) => each === type),
            `wantedEvidence has ${JSON.stringify(type)}, and evidenceTypes has not.`,
          );
        const inquired = await call(context, "disputes/inquire-dispute", { providerDisputeId });
        const again = JSON.stringify(readRecord(inquired, "dispute")["wantedEvidence"]);
        ensure(again === text, `The inquiry reports wantedEvidence ${again}, and the callback ${text}.`);
      },
    ),
    requiredCase(
      "fraud-warning",
      "a fraud warning is final at once, takes no answer, and leaves the whole amount to be refunded",
      "POST a dispute of type FRAUD_WARNING that is RESOLVED, without takenAmount and with defendable false.",
      async (context) => {
        context.buyer.requireControl();
        const address = context.callbacks.open("S");
        const order = await createPaidOrder(context, { callbackUrl: address.url });
        await context.buyer.control(`payments/${order.paymentId}/dispute`, { disputeType: "FRAUD_WARNING" });
        const { disputeType, state, takenAmount, defendable } = await waitForDispute(context, address);
        ensure(disputeType === "FRAUD_WARNING", `disputeType is ${String(disputeType)}.`);
        ensure(
          state === "RESOLVED",
          `The first report of the warning is ${String(state)}, and not RESOLVED.`,
        );
        ensure(takenAmount === undefined, `takenAmount is ${JSON.stringify(takenAmount)}.`);
        ensure(defendable === false, `defendable is ${String(defendable)}.`);
        const refund = await call(
          context,
          "refund",
          buildFields(context, refundOperation, order, fullAmount),
        );
        ensure(
          refund.resultStatus === "S" || unsupportedCodes.includes(refund.resultCode),
          `A refund after the warning was answered ${refund.resultStatus} ${refund.resultCode}.`,
        );
      },
    ),
    requiredCase(
      "payment-returned",
      "a direct debit that the buyer's bank returns is a chargeback that is lost at once, and the order stays PAID",
      "POST a dispute that is JUDGED with ACCEPT_BY_MERCHANT, takenAmount and defendable false.",
      async (context) => {
        context.buyer.requireControl();
        const address = context.callbacks.open("S");
        const order = await createPaidOrder(context, { callbackUrl: address.url });
        await context.buyer.control(`payments/${order.paymentId}/return`);
        const dispute = await waitForDispute(context, address);
        const { state, judgedResult, takenAmount, defendable, providerDisputeId } = dispute;
        ensure(state === "JUDGED", `The first report of the dispute is ${String(state)}, and not JUDGED.`);
        ensure(judgedResult === "ACCEPT_BY_MERCHANT", `judgedResult is ${String(judgedResult)}.`);
        ensure(defendable === false, `defendable is ${String(defendable)}.`);
        const [taken, paid] = [takenAmount, order.fields["paidAmount"]].map((sum) => JSON.stringify(sum));
        ensure(taken === paid, `takenAmount is ${taken}, and not ${paid}.`);
        requireDisputeState(await call(context, "disputes/inquire-dispute", { providerDisputeId }), "JUDGED");
        requireState(await inquireOrder(context, order.reference), "PAID");
      },
    ),
  ],
};

/** Answers a new dispute, repeats the answer as if the response was lost, and then sends an inquiry. */
async function answerDisputeTwice(
  context: ProviderContext,
  operation: "accept-dispute" | "defend-dispute",
  answerFields: Fields,
  state: string,
): Promise<void> {
  const providerDisputeId = await createDispute(context);
  const fields = { providerDisputeId, answerReference: newRequestId("answer"), ...answerFields };
  for (let time = 0; time < 2; time += 1) {
    const answer = await callOptional(context, `disputes/${operation}`, fields);
    requireSuccess(answer, operation);
    requireDisputeState(answer, state);
  }
  requireDisputeState(await call(context, "disputes/inquire-dispute", { providerDisputeId }), state);
}

function requireDisputeState(answer: ProviderAnswer, state: string): void {
  const { state: reportedState } = readRecord(answer, "dispute");
  ensure(reportedState === state, `The dispute is ${String(reportedState)}, and not ${state}.`);
}

/** A payment that its buyer disputes; returns the provider's dispute id from the callback. */
async function createDispute(context: ProviderContext): Promise<unknown> {
  return (await openDispute(context))["providerDisputeId"];
}

/** A payment that its buyer disputes; returns the dispute of the callback. */
async function openDispute(context: ProviderContext, terms: Fields = {}): Promise<Fields> {
  const address = context.callbacks.open("S");
  const order = await createPaidOrder(context, { callbackUrl: address.url });
  await context.buyer.control(`payments/${order.paymentId}/dispute`, terms);
  return waitForDispute(context, address);
}

/** A document as the gateway sends it. */
function buildDocument(type: string, bytes: Buffer): Fields {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { type, format: "PDF", content: bytes.toString("base64"), sha256 };
}

/** A type of evidence that the provider distinguishes, as the gateway chooses it. */
async function findEvidenceType(context: ProviderContext): Promise<string> {
  const stated = await requireFacts(context).catch((error: unknown) => {
    if (error instanceof NotObservable) return undefined;
    throw error;
  });
  return stated?.evidenceTypes[0] ?? "OTHER";
}

/** Returns the dispute of the callback that follows the callback about the payment. */
async function waitForDispute({ patienceMs }: ProviderContext, address: CallbackAddress): Promise<Fields> {
  const callbacks = await address.waitForCallbacks(2, patienceMs);
  const dispute = callbacks.find(({ json }) => json["dispute"] !== undefined)?.json["dispute"];
  ensure(dispute !== undefined, "No callback with a dispute arrived.");
  return dispute as Fields;
}
