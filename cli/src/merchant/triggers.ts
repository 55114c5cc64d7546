import { kindFacts } from "../../../server/src/notifications/notification-kinds.ts";
import { refundPath } from "./provider-control.ts";
import type { Sandbox } from "./sandbox.ts";
import {
  createAccessToken,
  amount,
  approveConsent,
  daySeconds,
  createDispute,
  decidePayment,
  buildEvidence,
  createHeldPayment,
  createPayment,
  createPaidPayment,
  partialAmount,
  buildScanRequest,
  buildSessionRequest,
  buildStoreRequest,
} from "./scenario-setup.ts";

/** An event with a webhook, and how to cause it. */
export interface Trigger {
  readonly does: string;
  /** The webhook that the event causes at the end: its kind, and a text that it contains. */
  readonly webhook: readonly [kind: string, what: string];
  /** Whether the event advances the merchant's test clock permanently. */
  readonly movesClock?: true;
  /** Causes the event; returns the id that the webhook contains. */
  readonly run: (sandbox: Sandbox) => Promise<string>;
}

const paymentTriggers: Readonly<Record<string, Trigger>> = {
  "payment-succeeded": {
    does: "the buyer pays",
    webhook: ["notifyPayment", "SUCCESS"],
    run: (sandbox) => createPaidPayment(sandbox),
  },
  "payment-failed": {
    does: "the buyer has insufficient funds",
    webhook: ["notifyPayment", "USER_BALANCE_NOT_ENOUGH"],
    async run(sandbox) {
      const paymentId = await createPayment(sandbox);
      await decidePayment(sandbox, paymentId, "decline");
      return paymentId;
    },
  },
  "payment-expired": {
    does: "the payment expires, because no buyer pays in time",
    webhook: ["notifyPayment", "ORDER_IS_CLOSED"],
    movesClock: true,
    async run(sandbox) {
      const paymentId = await createPayment(sandbox);
      await sandbox.advance(daySeconds);
      return paymentId;
    },
  },
  "payment-pending": {
    does: "the buyer has confirmed, and the outcome is still pending",
    webhook: ["notifyPayment", "PAYMENT_PENDING"],
    async run(sandbox) {
      const paymentId = await createPayment(sandbox);
      await sandbox.controlProvider(`POST payments/${paymentId}/pend`);
      return paymentId;
    },
  },
  "payment-held": {
    does: "the buyer's money is held, to be captured later",
    webhook: ["notifyPayment", "SUCCESS"],
    run: createHeldPayment,
  },
  "payment-in-store": {
    does: "a point of sale scans the code of the buyer's wallet",
    webhook: ["notifyPayment", "SUCCESS"],
    async run(sandbox) {
      const { paymentCode } = await sandbox.controlProvider("POST payment-codes");
      const request = buildScanRequest(sandbox.newId("cli"), String(paymentCode));
      return String((await sandbox.requestSuccess("payments/pay", request))["paymentId"]);
    },
  },
  "session-paid": {
    does: "the buyer chooses a payment method on our page, and pays",
    webhook: ["notifyPayment", "SUCCESS"],
    async run(sandbox) {
      const answer = await sandbox.requestSuccess(
        "payments/createPaymentSession",
        buildSessionRequest(sandbox.newId("cli")),
      );
      await sandbox.submit(String(answer["normalUrl"]), { paymentMethodType: "GCASH" });
      const paymentId = String(answer["paymentSessionId"]);
      await decidePayment(sandbox, paymentId, "approve");
      return paymentId;
    },
  },
};

const moneyTriggers: Readonly<Record<string, Trigger>> = {
  "capture-succeeded": {
    does: "a part of the held money is captured",
    webhook: ["notifyCapture", "SUCCESS"],
    run: async (sandbox) => capture(sandbox, await createHeldPayment(sandbox)),
  },
  "capture-failed": {
    does: "the provider rejects a capture of held money",
    webhook: ["notifyCapture", "RISK_REJECT"],
    run: async (sandbox) => capture(sandbox, await createPaymentWithRejection(sandbox, "capture")),
  },
  "refund-succeeded": {
    does: "a payment is refunded in full",
    webhook: ["notifyRefund", "SUCCESS"],
    run: async (sandbox) => refund(sandbox, await createPaidPayment(sandbox)),
  },
  "refund-failed": {
    does: "the provider rejects a refund",
    webhook: ["notifyRefund", "RISK_REJECT"],
    run: async (sandbox) => refund(sandbox, await createPaymentWithRejection(sandbox, "refund")),
  },
  "refund-returned": {
    does: "a refund fails after it succeeded, because the buyer's bank returns the money",
    webhook: ["notifyRefund", "PROCESS_FAIL"],
    async run(sandbox) {
      const refundRequestId = await refund(sandbox, await createPaidPayment(sandbox));
      await sandbox.controlProvider(`POST ${refundPath(sandbox.clientId, refundRequestId)}/fail`);
      return refundRequestId;
    },
  },
};

async function capture(sandbox: Sandbox, paymentId: string): Promise<string> {
  const captureRequestId = sandbox.newId("cli");
  await sandbox.settle("payments/capture", { captureRequestId, paymentId, captureAmount: partialAmount });
  return captureRequestId;
}

async function refund(sandbox: Sandbox, paymentId: string): Promise<string> {
  const refundRequestId = sandbox.newId("cli");
  await sandbox.settle("payments/refund", { refundRequestId, paymentId, refundAmount: amount });
  return refundRequestId;
}

/** Creates a payment, and makes the provider reject one operation on it although the money is available. */
async function createPaymentWithRejection(sandbox: Sandbox, verb: "capture" | "refund"): Promise<string> {
  const paymentId = await (verb === "capture" ? createHeldPayment(sandbox) : createPaidPayment(sandbox));
  await sandbox.controlProvider("POST faults", {
    kind: "refuse",
    resultCode: "RISK_REJECT",
    match: { paymentId, verb },
  });
  return paymentId;
}

const consentTriggers: Readonly<Record<string, Trigger>> = {
  "authorization-agreed": {
    does: "a buyer agrees to be charged again",
    webhook: ["notifyAuthorization", "AUTHCODE_CREATED"],
    async run(sandbox) {
      const authState = sandbox.newId("state");
      await approveConsent(sandbox, authState);
      return authState;
    },
  },
  "token-created": {
    does: "the code of a consent is exchanged for a token",
    webhook: ["notifyAuthorization", "TOKEN_CREATED"],
    run: (sandbox) => createAccessToken(sandbox),
  },
  "token-cancelled": {
    does: "the buyer revokes the consent",
    webhook: ["notifyAuthorization", "TOKEN_CANCELED"],
    async run(sandbox) {
      const authState = sandbox.newId("state");
      const token = await createAccessToken(sandbox, authState);
      await sandbox.controlProvider(`POST authorizations/${authState}/cancel`, { reason: "I have moved." });
      return token;
    },
  },
  "registration-accepted": {
    does: "a store is registered, and the providers accept it",
    webhook: ["notifyRegistrationStatus", "COMPLETED"],
    run: (sandbox) => register(sandbox),
  },
  "registration-rejected": {
    does: "a store is registered, and a provider rejects it",
    webhook: ["notifyRegistrationStatus", "The logo is missing."],
    run: (sandbox) => register(sandbox, { rejectReasons: ["The logo is missing."] }),
  },
};

async function register(
  sandbox: Sandbox,
  rejection?: { readonly rejectReasons: readonly string[] },
): Promise<string> {
  const id = sandbox.newId("cli");
  if (rejection) await sandbox.controlProvider(`POST registrations/${id}/reject`, rejection);
  await sandbox.requestSuccess("merchants/registration", buildStoreRequest(id, sandbox.newId("store")));
  return id;
}

const disputeTriggers: Readonly<Record<string, Trigger>> = {
  "dispute-created": {
    does: "a buyer disputes a payment",
    webhook: ["notifyDispute", "DISPUTE_CREATED"],
    run: async (sandbox) =>
      (await createDispute(sandbox, { wantedEvidence: ["RECEIPT", "PROOF_OF_DELIVERY"] })).disputeId,
  },
  "fraud-warning": {
    does: "the card issuer warns of fraud before a chargeback",
    webhook: ["notifyDispute", "DISPUTE_CREATED"],
    run: async (sandbox) => (await createDispute(sandbox, { disputeType: "FRAUD_WARNING" })).disputeId,
  },
  "dispute-accepted": {
    does: "you accept the dispute",
    webhook: ["notifyDispute", "DISPUTE_ACCEPTED"],
    async run(sandbox) {
      const { disputeId } = await createDispute(sandbox);
      await sandbox.requestSuccess("payments/acceptDispute", { disputeId });
      return disputeId;
    },
  },
  "dispute-defended": {
    does: "you send documents against the dispute",
    webhook: ["notifyDispute", "DEFENSE_SUPPLIED"],
    run: async (sandbox) => (await createDefendedDispute(sandbox)).disputeId,
  },
  "dispute-won": {
    does: "the dispute is decided in your favour",
    webhook: ["notifyDispute", "DISPUTE_JUDGED"],
    run: (sandbox) => decideDispute(sandbox, "judge-won"),
  },
  "dispute-lost": {
    does: "the dispute is decided in the buyer's favour",
    webhook: ["notifyDispute", "DISPUTE_JUDGED"],
    run: (sandbox) => decideDispute(sandbox, "judge-lost"),
  },
  "dispute-cancelled": {
    does: "the buyer withdraws the dispute",
    webhook: ["notifyDispute", "DISPUTE_CANCELLED"],
    async run(sandbox) {
      const { paymentId, disputeId } = await createDispute(sandbox);
      await sandbox.controlProvider(`POST disputes/${paymentId}/cancel`);
      return disputeId;
    },
  },
  "dispute-due": {
    does: "the deadline to answer a dispute is near",
    webhook: ["notifyDispute", "DEFENSE_DUE_ALERT"],
    movesClock: true,
    async run(sandbox) {
      const { disputeId } = await createDispute(sandbox);
      await sandbox.advance(6 * daySeconds + 3600);
      return disputeId;
    },
  },
  "direct-debit-returned": {
    does: "the buyer's bank returns a paid direct debit: a dispute that is lost at once",
    webhook: ["notifyDispute", "DISPUTE_JUDGED"],
    async run(sandbox) {
      const paymentId = await createPaidPayment(sandbox);
      await sandbox.controlProvider(`POST payments/${paymentId}/return`);
      return paymentId;
    },
  },
  "dispute-resolved-at-once": {
    does: "the card scheme refunds the buyer automatically (RDR)",
    webhook: ["notifyDispute", "RDR_RESOLVED"],
    run: async (sandbox) => (await createDispute(sandbox, { disputeType: "RDR" })).disputeId,
  },
};

async function createDefendedDispute(
  sandbox: Sandbox,
): Promise<{ readonly paymentId: string; readonly disputeId: string }> {
  const dispute = await createDispute(sandbox);
  const { disputeId } = dispute;
  await sandbox.requestSuccess("payments/supplyDefenseDocument", {
    disputeId,
    disputeEvidence: buildEvidence(),
  });
  return dispute;
}

async function decideDispute(sandbox: Sandbox, verdict: "judge-won" | "judge-lost"): Promise<string> {
  const { paymentId, disputeId } = await createDefendedDispute(sandbox);
  await sandbox.controlProvider(`POST disputes/${paymentId}/${verdict}`);
  return disputeId;
}

/** All events about which a merchant can get a webhook, by name. */
export const triggers: Readonly<Record<string, Trigger>> = {
  ...paymentTriggers,
  ...moneyTriggers,
  ...consentTriggers,
  ...disputeTriggers,
};

const causedByStaff = "the operator's staff cause it; the portal can send a test webhook";

/** Webhook kinds that no action of a merchant or a buyer causes, and why. */
export const untriggered: Readonly<Record<string, string>> = Object.fromEntries(
  kindFacts.filter(([, { writtenBy }]) => writtenBy === "finance").map(([kind]) => [kind, causedByStaff]),
);
