import { declineCodes } from "../../../../server/src/payments/pay-results.ts";
import { repeatUntil } from "../repeat-until.ts";
import type { Fields, Sandbox } from "../sandbox.ts";
import {
  createAccessToken,
  approveConsent,
  daySeconds,
  createPayment,
  buildPayRequest,
  buildScanRequest,
} from "../scenario-setup.ts";
import { unknownPaymentId, type Scenario, type Scenarios } from "./scenario.ts";

const operation = "payments/pay";

function buildDeclineScenario(resultCode: string): Scenario {
  return {
    operation,
    instructions: `pay, then tollgate decline PAYMENT_ID --code ${resultCode}, and repeat the request`,
    async force(sandbox) {
      const request = buildPayRequest(sandbox.newId("cli"));
      const { paymentId } = await sandbox.send(operation, request);
      await sandbox.controlProvider(`POST payments/${String(paymentId)}/decline`, { resultCode });
      return sandbox.settle(operation, request);
    },
  };
}

const outcomeScenarios: Scenarios = {
  SUCCESS: {
    operation,
    instructions: "pay, then tollgate approve PAYMENT_ID, and repeat the request",
    async force(sandbox) {
      const request = buildPayRequest(sandbox.newId("cli"));
      const { paymentId } = await sandbox.send(operation, request);
      await sandbox.controlProvider(`POST payments/${String(paymentId)}/approve`);
      return sandbox.settle(operation, request);
    },
  },
  PAYMENT_IN_PROCESS: {
    operation,
    instructions: "pay: the buyer has not acted yet",
    force: ({ send, newId }) => send(operation, buildPayRequest(newId("cli"))),
  },
  ORDER_IS_CLOSED: {
    operation,
    instructions: "pay, tollgate clock +1d, and repeat the request",
    movesClock: true,
    async force(sandbox) {
      const request = buildPayRequest(sandbox.newId("cli"));
      await sandbox.send(operation, request);
      await sandbox.advance(daySeconds);
      return sandbox.settle(operation, request);
    },
  },
  ORDER_IS_CANCELED: {
    operation,
    instructions: "cancel a paymentRequestId, then pay with it",
    async force({ settle, send, newId }) {
      const paymentRequestId = newId("cli");
      await settle("payments/cancel", { paymentRequestId });
      return send(operation, buildPayRequest(paymentRequestId));
    },
  },
  REPEAT_REQ_INCONSISTENT: {
    operation,
    instructions: "pay twice with one paymentRequestId, with another amount",
    async force({ send, newId }) {
      const paymentRequestId = newId("cli");
      await send(operation, buildPayRequest(paymentRequestId));
      return send(
        operation,
        buildPayRequest(paymentRequestId, { paymentAmount: { currency: "EUR", value: "9" } }),
      );
    },
  },
  CURRENCY_NOT_SUPPORT: {
    operation,
    instructions: "pay in XTS, the test currency that no connector supports",
    force: ({ send, newId }) =>
      send(operation, buildPayRequest(newId("cli"), { paymentAmount: { currency: "XTS", value: "1" } })),
  },
  NO_PAY_OPTIONS: {
    operation,
    instructions: "pay with a method that no connector has: tollgate pay --method NOBODYS",
    force: ({ send, newId }) =>
      send(operation, buildPayRequest(newId("cli"), { paymentMethod: { paymentMethodType: "NOBODYS" } })),
  },
  ORDER_NOT_EXIST: {
    operation: "payments/inquiryPayment",
    instructions: "inquire about an unknown payment",
    force: ({ send }) => send("payments/inquiryPayment", { paymentId: unknownPaymentId }),
  },
  UNAVAILABLE_PAYMENT_METHOD: {
    operation,
    instructions:
      "tollgate faults refuse-connection --count 200, then pay until the circuit breaker of the connector opens; tollgate faults off",
    force: payWhileProviderIsDown,
  },
  UNKNOWN_EXCEPTION: {
    operation: "tollgate/advanceClock",
    instructions:
      "tollgate faults late-answer --verb submit --delay 8s, pay, and advance the clock while the provider is slow",
    async force(sandbox) {
      await sandbox.controlProvider("POST faults", {
        kind: "late-answer",
        delayMs: 8_000,
        match: { verb: "submit" },
      });
      await createPayment(sandbox);
      return sandbox.send("tollgate/advanceClock", { turnRequestId: sandbox.newId("cli"), bySeconds: 1 });
    },
  },
};

async function payWhileProviderIsDown(sandbox: Sandbox): Promise<Fields> {
  await sandbox.controlProvider("POST faults", { kind: "refuse-connection", count: 200 });
  try {
    return await repeatUntil(
      () => sandbox.send(operation, buildPayRequest(sandbox.newId("cli"))),
      ({ result }) => JSON.stringify(result).includes("UNAVAILABLE_PAYMENT_METHOD"),
    );
  } finally {
    await sandbox.controlProvider("DELETE faults");
  }
}

const codeScenarios: Scenarios = {
  INVALID_CODE: {
    operation,
    instructions: "a point of sale scans digits that no wallet has shown",
    force: ({ settle, newId }) => settle(operation, buildScanRequest(newId("cli"), "280000000000000000")),
  },
  EXPIRED_CODE: {
    operation,
    instructions: "a point of sale scans an expired payment code",
    async force({ controlProvider, settle, newId }) {
      const { paymentCode } = await controlProvider("POST payment-codes", { lifetimeSeconds: 0 });
      return settle(operation, buildScanRequest(newId("cli"), String(paymentCode)));
    },
  },
};

const tokenScenarios: Scenarios = {
  INVALID_ACCESS_TOKEN: {
    operation,
    instructions: "charge an unknown token",
    force: (sandbox) => chargeToken(sandbox, "no-such-token"),
  },
  EXPIRED_ACCESS_TOKEN: {
    operation,
    instructions: "get a token, tollgate clock +31d, and charge it",
    movesClock: true,
    async force(sandbox) {
      const token = await createAccessToken(sandbox);
      await sandbox.advance(31 * daySeconds);
      return chargeToken(sandbox, token);
    },
  },
  AUTHORIZATION_NOT_EXIST: {
    operation,
    instructions: "revoke a token, then charge it",
    async force(sandbox) {
      const token = await createAccessToken(sandbox);
      await sandbox.settle("authorizations/revoke", { accessToken: token });
      return chargeToken(sandbox, token);
    },
  },
  AUTH_IN_PROCESS: {
    operation: "authorizations/applyToken",
    instructions: "tollgate faults late-answer --verb exchange-code --delay 6s, then exchange a code",
    async force(sandbox) {
      const authCode = await approveConsent(sandbox, sandbox.newId("state"));
      const match = { verb: "exchange-code" };
      await sandbox.controlProvider("POST faults", { kind: "late-answer", delayMs: 6_000, match });
      return applyForToken(sandbox, { grantType: "AUTHORIZATION_CODE", authCode });
    },
  },
  INVALID_AUTHCODE: {
    operation: "authorizations/applyToken",
    instructions: "exchange a code that no buyer has received",
    force: (sandbox) => applyForToken(sandbox, { grantType: "AUTHORIZATION_CODE", authCode: "no-such-code" }),
  },
  AUTH_CODE_EXPIRED: {
    operation: "authorizations/applyToken",
    instructions: "a buyer agrees, tollgate clock +12m, then exchange the code",
    movesClock: true,
    async force(sandbox) {
      const authCode = await approveConsent(sandbox, sandbox.newId("state"));
      await sandbox.advance(12 * 60);
      return applyForToken(sandbox, { grantType: "AUTHORIZATION_CODE", authCode });
    },
  },
  INVALID_REFRESH_TOKEN: {
    operation: "authorizations/applyToken",
    instructions: "refresh with an unknown token",
    force: (sandbox) => applyForToken(sandbox, { grantType: "REFRESH_TOKEN", refreshToken: "no-such-token" }),
  },
};

function chargeToken({ settle, newId }: Sandbox, token: string): Promise<Fields> {
  const request = buildPayRequest(newId("cli"), {
    productCode: "AGREEMENT_PAYMENT",
    paymentMethod: { paymentMethodType: "GCASH", paymentMethodId: token },
  });
  return settle(operation, request);
}

function applyForToken({ send }: Sandbox, request: Fields): Promise<Fields> {
  return send("authorizations/applyToken", { customerBelongsTo: "GCASH", ...request });
}

export const paymentScenarios: Scenarios = {
  ...outcomeScenarios,
  ...Object.fromEntries(declineCodes.map((code) => [code, buildDeclineScenario(code)])),
  ...codeScenarios,
  ...tokenScenarios,
};
