import { factsOfKinds } from "../../../server/src/notifications/notification-kinds.ts";
import type { Sandbox } from "./sandbox.ts";
import {
  accessToken,
  amount,
  consentCode,
  day,
  disputed,
  endPayment,
  evidence,
  heldPayment,
  openPayment,
  paidPayment,
  part,
  scanRequest,
  sessionRequest,
  storeRequest,
} from "./scenario-setup.ts";

/** An event with a webhook, and how to cause it. */
export interface Trigger {
  readonly does: string;
  /** The webhook that the event causes at the end: its kind, and a text that it contains. */
  readonly tells: readonly [kind: string, what: string];
  /** Whether the event advances the merchant's test clock permanently. */
  readonly movesClock?: true;
  /** Causes the event; returns the id that the webhook contains. */
  readonly run: (sandbox: Sandbox) => Promise<string>;
}

const paymentTriggers: Readonly<Record<string, Trigger>> = {
  "payment-succeeded": {
    does: "the buyer pays",
    tells: ["notifyPayment", "SUCCESS"],
    run: (sandbox) => paidPayment(sandbox),
  },
  "payment-failed": {
    does: "the buyer has insufficient funds",
    tells: ["notifyPayment", "USER_BALANCE_NOT_ENOUGH"],
    async run(sandbox) {
      const paymentId = await openPayment(sandbox);
      await endPayment(sandbox, paymentId, "decline");
      return paymentId;
    },
  },
  "payment-expired": {
    does: "the payment expires, because no buyer pays in time",
    tells: ["notifyPayment", "ORDER_IS_CLOSED"],
    movesClock: true,
    async run(sandbox) {
      const paymentId = await openPayment(sandbox);
      await sandbox.advance(day);
      return paymentId;
    },
  },
  "payment-pending": {
    does: "the buyer has confirmed, and the outcome is still pending",
    tells: ["notifyPayment", "PAYMENT_PENDING"],
    async run(sandbox) {
      const paymentId = await openPayment(sandbox);
      await sandbox.wallet(`POST payments/${paymentId}/pend`);
      return paymentId;
    },
  },
  "payment-held": {
    does: "the buyer's money is held, to be captured later",
    tells: ["notifyPayment", "SUCCESS"],
    run: heldPayment,
  },
  "payment-in-store": {
    does: "a point of sale scans the code of the buyer's wallet",
    tells: ["notifyPayment", "SUCCESS"],
    async run(sandbox) {
      const { paymentCode } = await sandbox.wallet("POST payment-codes");
      const request = scanRequest(sandbox.newId("cli"), String(paymentCode));
      return String((await sandbox.must("payments/pay", request))["paymentId"]);
    },
  },
  "session-paid": {
    does: "the buyer chooses a payment method on our page, and pays",
    tells: ["notifyPayment", "SUCCESS"],
    async run(sandbox) {
      const answer = await sandbox.must(
        "payments/createPaymentSession",
        sessionRequest(sandbox.newId("cli")),
      );
      await sandbox.submit(String(answer["normalUrl"]), { paymentMethodType: "GCASH" });
      const paymentId = String(answer["paymentSessionId"]);
      await endPayment(sandbox, paymentId, "approve");
      return paymentId;
    },
  },
};

const moneyTriggers: Readonly<Record<string, Trigger>> = {
  "capture-succeeded": {
    does: "a part of the held money is captured",
    tells: ["notifyCapture", "SUCCESS"],
    run: async (sandbox) => capture(sandbox, await heldPayment(sandbox)),
  },
  "capture-failed": {
    does: "the provider rejects a capture of held money",
    tells: ["notifyCapture", "RISK_REJECT"],
    run: async (sandbox) => capture(sandbox, await refusing(sandbox, "capture")),
  },
  "refund-succeeded": {
    does: "a payment is refunded in full",
    tells: ["notifyRefund", "SUCCESS"],
    run: async (sandbox) => refund(sandbox, await paidPayment(sandbox)),
  },
  "refund-failed": {
    does: "the provider rejects a refund",
    tells: ["notifyRefund", "RISK_REJECT"],
    run: async (sandbox) => refund(sandbox, await refusing(sandbox, "refund")),
  },
};

async function capture(sandbox: Sandbox, paymentId: string): Promise<string> {
  const captureRequestId = sandbox.newId("cli");
  await sandbox.settle("payments/capture", { captureRequestId, paymentId, captureAmount: part });
  return captureRequestId;
}

async function refund(sandbox: Sandbox, paymentId: string): Promise<string> {
  const refundRequestId = sandbox.newId("cli");
  await sandbox.settle("payments/refund", { refundRequestId, paymentId, refundAmount: amount });
  return refundRequestId;
}

/** Creates a payment, and makes the provider reject one operation on it although the money is available. */
async function refusing(sandbox: Sandbox, verb: "capture" | "refund"): Promise<string> {
  const paymentId = await (verb === "capture" ? heldPayment(sandbox) : paidPayment(sandbox));
  await sandbox.wallet("POST faults", {
    kind: "refuse",
    resultCode: "RISK_REJECT",
    match: { paymentId, verb },
  });
  return paymentId;
}

const consentTriggers: Readonly<Record<string, Trigger>> = {
  "authorization-agreed": {
    does: "a buyer agrees to be charged again",
    tells: ["notifyAuthorization", "AUTHCODE_CREATED"],
    async run(sandbox) {
      const authState = sandbox.newId("state");
      await consentCode(sandbox, authState);
      return authState;
    },
  },
  "token-created": {
    does: "the code of a consent is exchanged for a token",
    tells: ["notifyAuthorization", "TOKEN_CREATED"],
    run: (sandbox) => accessToken(sandbox),
  },
  "token-cancelled": {
    does: "the buyer revokes the consent",
    tells: ["notifyAuthorization", "TOKEN_CANCELED"],
    async run(sandbox) {
      const authState = sandbox.newId("state");
      const token = await accessToken(sandbox, authState);
      await sandbox.wallet(`POST authorizations/${authState}/cancel`, { reason: "I have moved." });
      return token;
    },
  },
  "registration-accepted": {
    does: "a store is registered, and the providers accept it",
    tells: ["notifyRegistrationStatus", "COMPLETED"],
    run: (sandbox) => register(sandbox),
  },
  "registration-rejected": {
    does: "a store is registered, and a provider rejects it",
    tells: ["notifyRegistrationStatus", "The logo is missing."],
    run: (sandbox) => register(sandbox, { rejectReasons: ["The logo is missing."] }),
  },
};

async function register(
  sandbox: Sandbox,
  rejected?: { readonly rejectReasons: readonly string[] },
): Promise<string> {
  const id = sandbox.newId("cli");
  if (rejected) await sandbox.wallet(`POST registrations/${id}/reject`, rejected);
  await sandbox.must("merchants/registration", storeRequest(id, sandbox.newId("store")));
  return id;
}

const disputeTriggers: Readonly<Record<string, Trigger>> = {
  "dispute-created": {
    does: "a buyer disputes a payment",
    tells: ["notifyDispute", "DISPUTE_CREATED"],
    run: async (sandbox) => (await disputed(sandbox)).disputeId,
  },
  "dispute-accepted": {
    does: "you accept the dispute",
    tells: ["notifyDispute", "DISPUTE_ACCEPTED"],
    async run(sandbox) {
      const { disputeId } = await disputed(sandbox);
      await sandbox.must("payments/acceptDispute", { disputeId });
      return disputeId;
    },
  },
  "dispute-defended": {
    does: "you send documents against the dispute",
    tells: ["notifyDispute", "DEFENSE_SUPPLIED"],
    run: async (sandbox) => (await defended(sandbox)).disputeId,
  },
  "dispute-won": {
    does: "the dispute is decided in your favour",
    tells: ["notifyDispute", "DISPUTE_JUDGED"],
    run: (sandbox) => judged(sandbox, "judge-won"),
  },
  "dispute-lost": {
    does: "the dispute is decided in the buyer's favour",
    tells: ["notifyDispute", "DISPUTE_JUDGED"],
    run: (sandbox) => judged(sandbox, "judge-lost"),
  },
  "dispute-cancelled": {
    does: "the buyer withdraws the dispute",
    tells: ["notifyDispute", "DISPUTE_CANCELLED"],
    async run(sandbox) {
      const { paymentId, disputeId } = await disputed(sandbox);
      await sandbox.wallet(`POST disputes/${paymentId}/cancel`);
      return disputeId;
    },
  },
  "dispute-due": {
    does: "the deadline to answer a dispute is near",
    tells: ["notifyDispute", "DEFENSE_DUE_ALERT"],
    movesClock: true,
    async run(sandbox) {
      const { disputeId } = await disputed(sandbox);
      await sandbox.advance(6 * day + 3600);
      return disputeId;
    },
  },
  "dispute-resolved-at-once": {
    does: "the card scheme refunds the buyer automatically (RDR)",
    tells: ["notifyDispute", "RDR_RESOLVED"],
    run: async (sandbox) => (await disputed(sandbox, { disputeType: "RDR" })).disputeId,
  },
};

async function defended(
  sandbox: Sandbox,
): Promise<{ readonly paymentId: string; readonly disputeId: string }> {
  const it = await disputed(sandbox);
  const { disputeId } = it;
  await sandbox.must("payments/supplyDefenseDocument", { disputeId, disputeEvidence: evidence() });
  return it;
}

async function judged(sandbox: Sandbox, verdict: "judge-won" | "judge-lost"): Promise<string> {
  const { paymentId, disputeId } = await defended(sandbox);
  await sandbox.wallet(`POST disputes/${paymentId}/${verdict}`);
  return disputeId;
}

/** All events about which a merchant can get a webhook, by name. */
export const triggers: Readonly<Record<string, Trigger>> = {
  ...paymentTriggers,
  ...moneyTriggers,
  ...consentTriggers,
  ...disputeTriggers,
};

const byStaff = "the operator's staff cause it; the portal can send a test webhook";

/** Webhook kinds that no action of a merchant or a buyer causes, and why. */
export const untriggered: Readonly<Record<string, string>> = Object.fromEntries(
  factsOfKinds.filter(([, { writtenBy }]) => writtenBy === "finance").map(([kind]) => [kind, byStaff]),
);
