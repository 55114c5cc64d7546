import { declineCodes } from "../../../../server/src/payments/pay-results.ts";
import { repeatUntil } from "../repeat-until.ts";
import type { Fields, Sandbox } from "../sandbox.ts";
import { accessToken, consentCode, day, openPayment, payRequest, scanRequest } from "../scenario-setup.ts";
import { nobodys, type Scenario, type Scenarios } from "./scenario.ts";

const operation = "payments/pay";

function declinedFor(resultCode: string): Scenario {
  return {
    operation,
    how: `pay, then tollgate decline PAYMENT_ID --code ${resultCode}, and repeat the request`,
    async force(sandbox) {
      const request = payRequest(sandbox.newId("cli"));
      const { paymentId } = await sandbox.ask(operation, request);
      await sandbox.wallet(`POST payments/${String(paymentId)}/decline`, { resultCode });
      return sandbox.settle(operation, request);
    },
  };
}

const endScenarios: Scenarios = {
  SUCCESS: {
    operation,
    how: "pay, then tollgate approve PAYMENT_ID, and repeat the request",
    async force(sandbox) {
      const request = payRequest(sandbox.newId("cli"));
      const { paymentId } = await sandbox.ask(operation, request);
      await sandbox.wallet(`POST payments/${String(paymentId)}/approve`);
      return sandbox.settle(operation, request);
    },
  },
  PAYMENT_IN_PROCESS: {
    operation,
    how: "pay: the buyer has not acted yet",
    force: ({ ask, newId }) => ask(operation, payRequest(newId("cli"))),
  },
  ORDER_IS_CLOSED: {
    operation,
    how: "pay, tollgate clock +1d, and repeat the request",
    movesClock: true,
    async force(sandbox) {
      const request = payRequest(sandbox.newId("cli"));
      await sandbox.ask(operation, request);
      await sandbox.advance(day);
      return sandbox.settle(operation, request);
    },
  },
  ORDER_IS_CANCELED: {
    operation,
    how: "cancel a paymentRequestId, then pay with it",
    async force({ settle, ask, newId }) {
      const paymentRequestId = newId("cli");
      await settle("payments/cancel", { paymentRequestId });
      return ask(operation, payRequest(paymentRequestId));
    },
  },
  REPEAT_REQ_INCONSISTENT: {
    operation,
    how: "pay twice with one paymentRequestId, with another amount",
    async force({ ask, newId }) {
      const paymentRequestId = newId("cli");
      await ask(operation, payRequest(paymentRequestId));
      return ask(operation, payRequest(paymentRequestId, { paymentAmount: { currency: "EUR", value: "9" } }));
    },
  },
  CURRENCY_NOT_SUPPORT: {
    operation,
    how: "pay in XTS, the test currency that no connector supports",
    force: ({ ask, newId }) =>
      ask(operation, payRequest(newId("cli"), { paymentAmount: { currency: "XTS", value: "1" } })),
  },
  NO_PAY_OPTIONS: {
    operation,
    how: "pay with a method that no connector has: tollgate pay --method NOBODYS",
    force: ({ ask, newId }) =>
      ask(operation, payRequest(newId("cli"), { paymentMethod: { paymentMethodType: "NOBODYS" } })),
  },
  ORDER_NOT_EXIST: {
    operation: "payments/inquiryPayment",
    how: "inquire about an unknown payment",
    force: ({ ask }) => ask("payments/inquiryPayment", { paymentId: nobodys }),
  },
  UNAVAILABLE_PAYMENT_METHOD: {
    operation,
    how: "tollgate faults refuse-connection --count 200, then pay until the circuit breaker of the connector opens; tollgate faults off",
    force: whileProviderIsDown,
  },
  UNKNOWN_EXCEPTION: {
    operation: "tollgate/advanceClock",
    how: "tollgate faults late-answer --verb submit --delay 8s, pay, and advance the clock while the provider is slow",
    async force(sandbox) {
      await sandbox.wallet("POST faults", { kind: "late-answer", delayMs: 8_000, match: { verb: "submit" } });
      await openPayment(sandbox);
      return sandbox.ask("tollgate/advanceClock", { turnRequestId: sandbox.newId("cli"), bySeconds: 1 });
    },
  },
};

async function whileProviderIsDown(sandbox: Sandbox): Promise<Fields> {
  await sandbox.wallet("POST faults", { kind: "refuse-connection", count: 200 });
  try {
    return await repeatUntil(
      () => sandbox.ask(operation, payRequest(sandbox.newId("cli"))),
      ({ result }) => JSON.stringify(result).includes("UNAVAILABLE_PAYMENT_METHOD"),
    );
  } finally {
    await sandbox.wallet("DELETE faults");
  }
}

const codeScenarios: Scenarios = {
  INVALID_CODE: {
    operation,
    how: "a point of sale scans digits that no wallet has shown",
    force: ({ settle, newId }) => settle(operation, scanRequest(newId("cli"), "280000000000000000")),
  },
  EXPIRED_CODE: {
    operation,
    how: "a point of sale scans an expired payment code",
    async force({ wallet, settle, newId }) {
      const { paymentCode } = await wallet("POST payment-codes", { lifetimeSeconds: 0 });
      return settle(operation, scanRequest(newId("cli"), String(paymentCode)));
    },
  },
};

const tokenScenarios: Scenarios = {
  INVALID_ACCESS_TOKEN: {
    operation,
    how: "charge an unknown token",
    force: (sandbox) => charge(sandbox, "no-such-token"),
  },
  EXPIRED_ACCESS_TOKEN: {
    operation,
    how: "get a token, tollgate clock +31d, and charge it",
    movesClock: true,
    async force(sandbox) {
      const token = await accessToken(sandbox);
      await sandbox.advance(31 * day);
      return charge(sandbox, token);
    },
  },
  AUTHORIZATION_NOT_EXIST: {
    operation,
    how: "revoke a token, then charge it",
    async force(sandbox) {
      const token = await accessToken(sandbox);
      await sandbox.settle("authorizations/revoke", { accessToken: token });
      return charge(sandbox, token);
    },
  },
  AUTH_IN_PROCESS: {
    operation: "authorizations/applyToken",
    how: "tollgate faults late-answer --verb exchange-code --delay 6s, then exchange a code",
    async force(sandbox) {
      const authCode = await consentCode(sandbox, sandbox.newId("state"));
      const match = { verb: "exchange-code" };
      await sandbox.wallet("POST faults", { kind: "late-answer", delayMs: 6_000, match });
      return apply(sandbox, { grantType: "AUTHORIZATION_CODE", authCode });
    },
  },
  INVALID_AUTHCODE: {
    operation: "authorizations/applyToken",
    how: "exchange a code that no buyer has received",
    force: (sandbox) => apply(sandbox, { grantType: "AUTHORIZATION_CODE", authCode: "no-such-code" }),
  },
  AUTH_CODE_EXPIRED: {
    operation: "authorizations/applyToken",
    how: "a buyer agrees, tollgate clock +12m, then exchange the code",
    movesClock: true,
    async force(sandbox) {
      const authCode = await consentCode(sandbox, sandbox.newId("state"));
      await sandbox.advance(12 * 60);
      return apply(sandbox, { grantType: "AUTHORIZATION_CODE", authCode });
    },
  },
  INVALID_REFRESH_TOKEN: {
    operation: "authorizations/applyToken",
    how: "refresh with an unknown token",
    force: (sandbox) => apply(sandbox, { grantType: "REFRESH_TOKEN", refreshToken: "no-such-token" }),
  },
};

function charge({ settle, newId }: Sandbox, token: string): Promise<Fields> {
  const request = payRequest(newId("cli"), {
    productCode: "AGREEMENT_PAYMENT",
    paymentMethod: { paymentMethodType: "GCASH", paymentMethodId: token },
  });
  return settle(operation, request);
}

function apply({ ask }: Sandbox, request: Fields): Promise<Fields> {
  return ask("authorizations/applyToken", { customerBelongsTo: "GCASH", ...request });
}

export const paymentScenarios: Scenarios = {
  ...endScenarios,
  ...Object.fromEntries(declineCodes.map((code) => [code, declinedFor(code)])),
  ...codeScenarios,
  ...tokenScenarios,
};
