import type { Fields, Sandbox } from "../sandbox.ts";
import {
  amount,
  day,
  disputed,
  endPayment,
  evidence,
  heldPayment,
  openPayment,
  paidPayment,
  part,
  storeRequest,
} from "../scenario-setup.ts";
import { nobodys, tooMuch, type Scenarios } from "./scenario.ts";

const operations = {
  capture: "payments/capture",
  refund: "payments/refund",
  accept: "payments/acceptDispute",
  defend: "payments/supplyDefenseDocument",
  register: "merchants/registration",
} as const;

function capture({ settle, newId }: Sandbox, paymentId: string, captureAmount = part): Promise<Fields> {
  return settle(operations.capture, { captureRequestId: newId("cli"), paymentId, captureAmount });
}

function refund({ settle, newId }: Sandbox, paymentId: string, refundAmount = part): Promise<Fields> {
  return settle(operations.refund, { refundRequestId: newId("cli"), paymentId, refundAmount });
}

const captureScenarios: Scenarios = {
  CAPTURE_IN_PROCESS: {
    operation: operations.capture,
    how: "hold a payment, tollgate faults late-answer --verb capture --delay 8s, then capture",
    async force(sandbox) {
      const paymentId = await heldPayment(sandbox);
      const match = { paymentId, verb: "capture" };
      await sandbox.wallet("POST faults", { kind: "late-answer", delayMs: 8_000, match });
      const request = { captureRequestId: sandbox.newId("cli"), paymentId, captureAmount: part };
      return sandbox.ask(operations.capture, request);
    },
  },
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: {
    operation: operations.capture,
    how: "capture more than is held",
    force: async (sandbox) => capture(sandbox, await heldPayment(sandbox), tooMuch),
  },
  AUTH_NOT_FOUND: {
    operation: operations.capture,
    how: "capture an unknown payment",
    force: (sandbox) => capture(sandbox, nobodys),
  },
  AUTH_CANCELLED: {
    operation: operations.capture,
    how: "hold a payment, cancel it, then capture",
    async force(sandbox) {
      const paymentId = await heldPayment(sandbox);
      await sandbox.settle("payments/cancel", { paymentId });
      return capture(sandbox, paymentId);
    },
  },
  AUTH_EXPIRED: {
    operation: operations.capture,
    how: "hold a payment, tollgate clock +8d, then capture",
    movesClock: true,
    async force(sandbox) {
      const paymentId = await heldPayment(sandbox);
      await sandbox.advance(8 * day);
      return capture(sandbox, paymentId);
    },
  },
};

const refundScenarios: Scenarios = {
  REFUND_IN_PROCESS: {
    operation: operations.refund,
    how: "tollgate faults refund-pending --delay 3s, then refund",
    async force(sandbox) {
      const paymentId = await paidPayment(sandbox);
      const match = { paymentId, verb: "refund" };
      await sandbox.wallet("POST faults", { kind: "refund-pending", delayMs: 3_000, match });
      const request = { refundRequestId: sandbox.newId("cli"), paymentId, refundAmount: amount };
      return sandbox.ask(operations.refund, request);
    },
  },
  REFUND_AMOUNT_EXCEED: {
    operation: operations.refund,
    how: "refund more than is left",
    force: async (sandbox) => refund(sandbox, await paidPayment(sandbox), tooMuch),
  },
  REFUND_WINDOW_EXCEED: {
    operation: operations.refund,
    how: "tollgate clock +366d, then refund a payment from before",
    movesClock: true,
    async force(sandbox) {
      const paymentId = await paidPayment(sandbox);
      await sandbox.advance(366 * day);
      return refund(sandbox, paymentId);
    },
  },
  ORDER_STATUS_INVALID: {
    operation: operations.refund,
    how: "refund a failed payment",
    async force(sandbox) {
      const paymentId = await openPayment(sandbox);
      await endPayment(sandbox, paymentId, "decline");
      return refund(sandbox, paymentId);
    },
  },
  CANCEL_WINDOW_EXCEED: {
    operation: "payments/cancel",
    how: "tollgate clock +3d, then cancel a payment that was paid before",
    movesClock: true,
    async force(sandbox) {
      const paymentId = await paidPayment(sandbox);
      await sandbox.advance(3 * day);
      return sandbox.settle("payments/cancel", { paymentId });
    },
  },
};

const disputeScenarios: Scenarios = {
  REPEAT_REQUEST: {
    operation: operations.accept,
    how: "defend a dispute, then accept it",
    async force(sandbox) {
      const { disputeId } = await disputed(sandbox);
      await defend(sandbox, disputeId);
      return sandbox.settle(operations.accept, { disputeId });
    },
  },
  TIME_EXCEEDS_LIMIT: {
    operation: operations.accept,
    how: "tollgate trigger dispute-created, tollgate clock +8d, then accept it",
    movesClock: true,
    async force(sandbox) {
      const { disputeId } = await disputed(sandbox);
      await sandbox.advance(8 * day);
      return sandbox.settle(operations.accept, { disputeId });
    },
  },
  NOT_ALLOW_IN_CURRENT_STATUS: {
    operation: operations.defend,
    how: "defend a compliance request twice",
    async force(sandbox) {
      const { disputeId } = await disputed(sandbox, compliance);
      await defend(sandbox, disputeId);
      return defend(sandbox, disputeId, 2);
    },
  },
  DEFENSE_EXCEED_LIMIT: {
    operation: operations.defend,
    how: "defend a compliance request, let the evidence be rejected three times, then defend it once more",
    force: defendTooOften,
  },
};

const compliance = { disputeType: "COMPLIANCE_REQUEST" };

function defend({ settle }: Sandbox, disputeId: string, version = 1): Promise<Fields> {
  return settle(operations.defend, { disputeId, disputeEvidence: evidence(version) });
}

async function defendTooOften(sandbox: Sandbox): Promise<Fields> {
  const { paymentId, disputeId } = await disputed(sandbox, compliance);
  for (let version = 1; version <= 3; version += 1) {
    await defend(sandbox, disputeId, version);
    await sandbox.wallet(`POST disputes/${paymentId}/invalidate`);
    await sandbox.until(
      operations.defend,
      { disputeId, disputeEvidence: evidence(version + 1) },
      ({ result }) => !JSON.stringify(result).includes("NOT_ALLOW_IN_CURRENT_STATUS"),
    );
  }
  return defend(sandbox, disputeId, 4);
}

const registrationScenarios: Scenarios = {
  REPEAT_REGISTRATION: {
    operation: operations.register,
    how: "register a store again under another id",
    async force({ ask, told, newId }) {
      const [store, id] = [newId("store"), newId("cli")];
      await ask(operations.register, storeRequest(id, store));
      await told("notifyRegistrationStatus", id);
      return ask(operations.register, storeRequest(newId("cli"), store));
    },
  },
  ABNORMAL_REGISTRATION_STATUS: {
    operation: operations.register,
    how: "register a store whose registration is still pending at the provider, under another id",
    async force({ ask, wallet, newId }) {
      const [store, id] = [newId("store"), newId("cli")];
      await wallet(`POST registrations/${id}/hold`);
      await ask(operations.register, storeRequest(id, store));
      const answer = await ask(operations.register, storeRequest(newId("cli"), store));
      await wallet(`POST registrations/${id}/accept`);
      return answer;
    },
  },
  RECORD_NOT_FOUND: {
    operation: "merchants/inquiryRegistrationStatus",
    how: "inquire about a registration that was never sent",
    force: ({ ask }) => ask("merchants/inquiryRegistrationStatus", { registrationRequestId: "never-sent" }),
  },
};

export const moneyScenarios: Scenarios = {
  ...captureScenarios,
  ...refundScenarios,
  ...disputeScenarios,
  ...registrationScenarios,
};
