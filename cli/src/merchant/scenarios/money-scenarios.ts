import type { Fields, Sandbox } from "../sandbox.ts";
import {
  amount,
  daySeconds,
  createDispute,
  decidePayment,
  buildEvidence,
  createHeldPayment,
  createPayment,
  createPaidPayment,
  partialAmount,
  buildStoreRequest,
} from "../scenario-setup.ts";
import { unknownPaymentId, excessiveAmount, type Scenarios } from "./scenario.ts";

const operations = {
  capture: "payments/capture",
  refund: "payments/refund",
  accept: "payments/acceptDispute",
  defend: "payments/supplyDefenseDocument",
  register: "merchants/registration",
} as const;

function capture(
  { settle, newId }: Sandbox,
  paymentId: string,
  captureAmount = partialAmount,
): Promise<Fields> {
  return settle(operations.capture, { captureRequestId: newId("cli"), paymentId, captureAmount });
}

function refund(
  { settle, newId }: Sandbox,
  paymentId: string,
  refundAmount = partialAmount,
): Promise<Fields> {
  return settle(operations.refund, { refundRequestId: newId("cli"), paymentId, refundAmount });
}

const captureScenarios: Scenarios = {
  CAPTURE_IN_PROCESS: {
    operation: operations.capture,
    instructions: "hold a payment, tollgate faults capture-pending --delay 3s, then capture",
    async force(sandbox) {
      const paymentId = await createHeldPayment(sandbox);
      const match = { paymentId, verb: "capture" };
      await sandbox.controlProvider("POST faults", { kind: "capture-pending", delayMs: 3_000, match });
      const request = { captureRequestId: sandbox.newId("cli"), paymentId, captureAmount: partialAmount };
      return sandbox.send(operations.capture, request);
    },
  },
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: {
    operation: operations.capture,
    instructions: "capture more than is held",
    force: async (sandbox) => capture(sandbox, await createHeldPayment(sandbox), excessiveAmount),
  },
  AUTH_NOT_FOUND: {
    operation: operations.capture,
    instructions: "capture an unknown payment",
    force: (sandbox) => capture(sandbox, unknownPaymentId),
  },
  AUTH_CANCELLED: {
    operation: operations.capture,
    instructions: "hold a payment, cancel it, then capture",
    async force(sandbox) {
      const paymentId = await createHeldPayment(sandbox);
      await sandbox.settle("payments/cancel", { paymentId });
      return capture(sandbox, paymentId);
    },
  },
  AUTH_EXPIRED: {
    operation: operations.capture,
    instructions: "hold a payment, tollgate clock +8d, then capture",
    movesClock: true,
    async force(sandbox) {
      const paymentId = await createHeldPayment(sandbox);
      await sandbox.advance(8 * daySeconds);
      return capture(sandbox, paymentId);
    },
  },
};

const refundScenarios: Scenarios = {
  REFUND_IN_PROCESS: {
    operation: operations.refund,
    instructions: "tollgate faults refund-pending --delay 3s, then refund",
    async force(sandbox) {
      const paymentId = await createPaidPayment(sandbox);
      const match = { paymentId, verb: "refund" };
      await sandbox.controlProvider("POST faults", { kind: "refund-pending", delayMs: 3_000, match });
      const request = { refundRequestId: sandbox.newId("cli"), paymentId, refundAmount: amount };
      return sandbox.send(operations.refund, request);
    },
  },
  REFUND_AMOUNT_EXCEED: {
    operation: operations.refund,
    instructions: "refund more than is left",
    force: async (sandbox) => refund(sandbox, await createPaidPayment(sandbox), excessiveAmount),
  },
  REFUND_WINDOW_EXCEED: {
    operation: operations.refund,
    instructions: "tollgate clock +366d, then refund a payment from before",
    movesClock: true,
    async force(sandbox) {
      const paymentId = await createPaidPayment(sandbox);
      await sandbox.advance(366 * daySeconds);
      return refund(sandbox, paymentId);
    },
  },
  ORDER_STATUS_INVALID: {
    operation: operations.refund,
    instructions: "refund a failed payment",
    async force(sandbox) {
      const paymentId = await createPayment(sandbox);
      await decidePayment(sandbox, paymentId, "decline");
      return refund(sandbox, paymentId);
    },
  },
  CANCEL_WINDOW_EXCEED: {
    operation: "payments/cancel",
    instructions: "tollgate clock +3d, then cancel a payment that was paid before",
    movesClock: true,
    async force(sandbox) {
      const paymentId = await createPaidPayment(sandbox);
      await sandbox.advance(3 * daySeconds);
      return sandbox.settle("payments/cancel", { paymentId });
    },
  },
};

const disputeScenarios: Scenarios = {
  REPEAT_REQUEST: {
    operation: operations.accept,
    instructions: "defend a dispute, then accept it",
    async force(sandbox) {
      const { disputeId } = await createDispute(sandbox);
      await defend(sandbox, disputeId);
      return sandbox.settle(operations.accept, { disputeId });
    },
  },
  TIME_EXCEEDS_LIMIT: {
    operation: operations.accept,
    instructions: "tollgate trigger dispute-created, tollgate clock +8d, then accept it",
    movesClock: true,
    async force(sandbox) {
      const { disputeId } = await createDispute(sandbox);
      await sandbox.advance(8 * daySeconds);
      return sandbox.settle(operations.accept, { disputeId });
    },
  },
  NOT_ALLOW_IN_CURRENT_STATUS: {
    operation: operations.defend,
    instructions: "defend a compliance request twice",
    async force(sandbox) {
      const { disputeId } = await createDispute(sandbox, compliance);
      await defend(sandbox, disputeId);
      return defend(sandbox, disputeId, 2);
    },
  },
  DEFENSE_EXCEED_LIMIT: {
    operation: operations.defend,
    instructions:
      "defend a compliance request, let the evidence be rejected three times, then defend it once more",
    force: defendTooOften,
  },
};

const compliance = { disputeType: "COMPLIANCE_REQUEST" };

function defend({ settle }: Sandbox, disputeId: string, version = 1): Promise<Fields> {
  return settle(operations.defend, { disputeId, disputeEvidence: buildEvidence(version) });
}

async function defendTooOften(sandbox: Sandbox): Promise<Fields> {
  const { paymentId, disputeId } = await createDispute(sandbox, compliance);
  for (let version = 1; version <= 3; version += 1) {
    await defend(sandbox, disputeId, version);
    await sandbox.controlProvider(`POST disputes/${paymentId}/invalidate`);
    await sandbox.until(
      operations.defend,
      { disputeId, disputeEvidence: buildEvidence(version + 1) },
      ({ result }) => !JSON.stringify(result).includes("NOT_ALLOW_IN_CURRENT_STATUS"),
    );
  }
  return defend(sandbox, disputeId, 4);
}

const registrationScenarios: Scenarios = {
  REPEAT_REGISTRATION: {
    operation: operations.register,
    instructions: "register a store again under another id",
    async force({ send, waitForWebhook, newId }) {
      const [store, id] = [newId("store"), newId("cli")];
      await send(operations.register, buildStoreRequest(id, store));
      await waitForWebhook("notifyRegistrationStatus", id);
      return send(operations.register, buildStoreRequest(newId("cli"), store));
    },
  },
  ABNORMAL_REGISTRATION_STATUS: {
    operation: operations.register,
    instructions: "register a store whose registration is still pending at the provider, under another id",
    async force({ send, controlProvider, newId }) {
      const [store, id] = [newId("store"), newId("cli")];
      await controlProvider(`POST registrations/${id}/hold`);
      await send(operations.register, buildStoreRequest(id, store));
      const answer = await send(operations.register, buildStoreRequest(newId("cli"), store));
      await controlProvider(`POST registrations/${id}/accept`);
      return answer;
    },
  },
  RECORD_NOT_FOUND: {
    operation: "merchants/inquiryRegistrationStatus",
    instructions: "inquire about a registration that was never sent",
    force: ({ send }) => send("merchants/inquiryRegistrationStatus", { registrationRequestId: "never-sent" }),
  },
};

export const moneyScenarios: Scenarios = {
  ...captureScenarios,
  ...refundScenarios,
  ...disputeScenarios,
  ...registrationScenarios,
};
