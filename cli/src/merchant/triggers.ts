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
} from "./stages.ts";

/** Something that a merchant is told of, and how it is made to happen. */
export interface Trigger {
  readonly does: string;
  /** The notification that it ends with: its kind, and the word in it that says what happened. */
  readonly tells: readonly [kind: string, what: string];
  /** Whether the merchant's clock is moved, for good. */
  readonly movesClock?: true;
  /** Makes it happen; gives the name by which the notification speaks of it. */
  readonly run: (sandbox: Sandbox) => Promise<string>;
}

const paymentTriggers: Readonly<Record<string, Trigger>> = {
  "payment-succeeded": {
    does: "the buyer pays",
    tells: ["notifyPayment", "SUCCESS"],
    run: (sandbox) => paidPayment(sandbox),
  },
  "payment-failed": {
    does: "the buyer has not enough money",
    tells: ["notifyPayment", "USER_BALANCE_NOT_ENOUGH"],
    async run(sandbox) {
      const paymentId = await openPayment(sandbox);
      await endPayment(sandbox, paymentId, "decline");
      return paymentId;
    },
  },
  "payment-expired": {
    does: "nobody pays until the time is over",
    tells: ["notifyPayment", "ORDER_IS_CLOSED"],
    movesClock: true,
    async run(sandbox) {
      const paymentId = await openPayment(sandbox);
      await sandbox.advance(day);
      return paymentId;
    },
  },
  "payment-pending": {
    does: "the buyer has done the own part, and the outcome is open",
    tells: ["notifyPayment", "PAYMENT_PENDING"],
    async run(sandbox) {
      const paymentId = await openPayment(sandbox);
      await sandbox.wallet(`POST payments/${paymentId}/pend`);
      return paymentId;
    },
  },
  "payment-held": {
    does: "the buyer's money is set aside, to be captured later",
    tells: ["notifyPayment", "SUCCESS"],
    run: heldPayment,
  },
  "payment-in-store": {
    does: "a till scans the code of the buyer's wallet",
    tells: ["notifyPayment", "SUCCESS"],
    async run(sandbox) {
      const { paymentCode } = await sandbox.wallet("POST payment-codes");
      const request = scanRequest(sandbox.newId("cli"), String(paymentCode));
      return String((await sandbox.must("payments/pay", request))["paymentId"]);
    },
  },
  "session-paid": {
    does: "the buyer chooses a wallet on our page, and pays",
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
    does: "a part of what is held is taken",
    tells: ["notifyCapture", "SUCCESS"],
    run: async (sandbox) => capture(sandbox, await heldPayment(sandbox)),
  },
  "capture-failed": {
    does: "the wallet refuses to hand over what is held",
    tells: ["notifyCapture", "RISK_REJECT"],
    run: async (sandbox) => capture(sandbox, await refusing(sandbox, "capture")),
  },
  "refund-succeeded": {
    does: "all of a payment is given back",
    tells: ["notifyRefund", "SUCCESS"],
    run: async (sandbox) => refund(sandbox, await paidPayment(sandbox)),
  },
  "refund-failed": {
    does: "the wallet refuses to give it back",
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

/** A payment whose wallet will refuse one thing, whatever its books say. */
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
    does: "the buyer takes the consent back",
    tells: ["notifyAuthorization", "TOKEN_CANCELED"],
    async run(sandbox) {
      const authState = sandbox.newId("state");
      const token = await accessToken(sandbox, authState);
      await sandbox.wallet(`POST authorizations/${authState}/cancel`, { reason: "I have moved." });
      return token;
    },
  },
  "registration-accepted": {
    does: "a store is registered, and the wallets accept it",
    tells: ["notifyRegistrationStatus", "COMPLETED"],
    run: (sandbox) => register(sandbox),
  },
  "registration-rejected": {
    does: "a store is registered, and a wallet rejects it",
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
    does: "the dispute is judged for you",
    tells: ["notifyDispute", "DISPUTE_JUDGED"],
    run: (sandbox) => judged(sandbox, "judge-won"),
  },
  "dispute-lost": {
    does: "the dispute is judged for the buyer",
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
    does: "the time to answer a dispute is almost over",
    tells: ["notifyDispute", "DEFENSE_DUE_ALERT"],
    movesClock: true,
    async run(sandbox) {
      const { disputeId } = await disputed(sandbox);
      await sandbox.advance(6 * day + 3600);
      return disputeId;
    },
  },
  "dispute-resolved-at-once": {
    does: "the scheme gives the money back by itself (RDR)",
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

/** Every event that a merchant can be told of, by name. */
export const triggers: Readonly<Record<string, Trigger>> = {
  ...paymentTriggers,
  ...moneyTriggers,
  ...consentTriggers,
  ...disputeTriggers,
};

const providers = "your provider's doing; the portal sends you one to try (Notifications, Send a test)";

/** Kinds of which nothing happens by what a merchant or a buyer does, and why. */
export const untriggered: Readonly<Record<string, string>> = {
  notifyPayout: `payouts are ${providers}`,
  notifyBankAccount: `where you are paid is ${providers}`,
};
