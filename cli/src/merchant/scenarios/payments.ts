import { repeatUntil } from "../repeat-until.ts";
import type { Fields, Sandbox } from "../sandbox.ts";
import { accessToken, consentCode, day, openPayment, payRequest, scanRequest } from "../stages.ts";
import { nobodys, type Scenario, type Scenarios } from "./scenario.ts";

const operation = "payments/pay";

/** What a wallet says no for comes to the merchant as it is. */
const declines = [
  "AUTHENTICATION_REQUIRED",
  "BUSINESS_NOT_SUPPORT",
  "CARD_NOT_SUPPORTED",
  "DO_NOT_HONOR",
  "FRAUD_REJECT",
  "INVALID_AMOUNT",
  "INVALID_CARD",
  "INVALID_CARD_NUMBER",
  "INVALID_CONTRACT",
  "INVALID_EXPIRATION_DATE",
  "INVALID_EXPIRY_DATE_FORMAT",
  "INVALID_MERCHANT_STATUS",
  "INVALID_PAYMENT_CODE",
  "INVALID_PAYMENT_METHOD_META_DATA",
  "ISSUER_REJECTS_TRANSACTION",
  "MERCHANT_KYB_NOT_QUALIFIED",
  "PAYMENT_AMOUNT_EXCEED_LIMIT",
  "PAYMENT_COUNT_EXCEED_LIMIT",
  "PAYMENT_NOT_QUALIFIED",
  "PAYMENT_PROHIBITED",
  "PROCESS_FAIL",
  "RISK_REJECT",
  "SELECTED_CARD_BRAND_NOT_AVAILABLE",
  "SETTLE_CONTRACT_NOT_MATCH",
  "SUSPECTED_CARD",
  "SUSPECTED_RISK",
  "USER_AMOUNT_EXCEED_LIMIT",
  "USER_BALANCE_NOT_ENOUGH",
  "USER_KYC_NOT_QUALIFIED",
  "USER_NOT_EXIST",
  "USER_PAYMENT_VERIFICATION_FAILED",
  "USER_STATUS_ABNORMAL",
  "VERIFY_TIMES_EXCEED_LIMIT",
  "VERIFY_UNMATCHED",
] as const;

function declinedFor(resultCode: string): Scenario {
  return {
    operation,
    how: `pay, then tollgate decline PAYMENT_ID --code ${resultCode}, and repeat the call`,
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
    how: "pay, then tollgate approve PAYMENT_ID, and repeat the call",
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
    how: "pay, tollgate clock +1d, and repeat the call",
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
    how: "cancel a paymentRequestId, then pay under it",
    async force({ settle, ask, newId }) {
      const paymentRequestId = newId("cli");
      await settle("payments/cancel", { paymentRequestId });
      return ask(operation, payRequest(paymentRequestId));
    },
  },
  REPEAT_REQ_INCONSISTENT: {
    operation,
    how: "pay twice under one paymentRequestId, with another amount",
    async force({ ask, newId }) {
      const paymentRequestId = newId("cli");
      await ask(operation, payRequest(paymentRequestId));
      return ask(operation, payRequest(paymentRequestId, { paymentAmount: { currency: "EUR", value: "9" } }));
    },
  },
  CURRENCY_NOT_SUPPORT: {
    operation,
    how: "pay in XTS, the currency that is for tests and nobody has",
    force: ({ ask, newId }) =>
      ask(operation, payRequest(newId("cli"), { paymentAmount: { currency: "XTS", value: "1" } })),
  },
  NO_PAY_OPTIONS: {
    operation,
    how: "pay by a method that no wallet has: tollgate pay --method NOBODYS",
    force: ({ ask, newId }) =>
      ask(operation, payRequest(newId("cli"), { paymentMethod: { paymentMethodType: "NOBODYS" } })),
  },
  ORDER_NOT_EXIST: {
    operation: "payments/inquiryPayment",
    how: "inquire about a payment that was never made",
    force: ({ ask }) => ask("payments/inquiryPayment", { paymentId: nobodys }),
  },
  UNAVAILABLE_PAYMENT_METHOD: {
    operation,
    how: "tollgate faults refuse-connection --count 200, then pay until the gateway has given the wallet up; tollgate faults off",
    force: whileWalletIsDown,
  },
  UNKNOWN_EXCEPTION: {
    operation: "tollgate/advanceClock",
    how: "tollgate faults late-answer --verb submit --delay 8s, pay, and move the clock while the wallet is slow",
    async force(sandbox) {
      await sandbox.wallet("POST faults", { kind: "late-answer", delayMs: 8_000, match: { verb: "submit" } });
      await openPayment(sandbox);
      return sandbox.ask("tollgate/advanceClock", { turnRequestId: sandbox.newId("cli"), bySeconds: 1 });
    },
  },
};

async function whileWalletIsDown(sandbox: Sandbox): Promise<Fields> {
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
    how: "a till scans digits that no wallet has shown",
    force: ({ settle, newId }) => settle(operation, scanRequest(newId("cli"), "280000000000000000")),
  },
  EXPIRED_CODE: {
    operation,
    how: "a till scans a payment code whose time is over",
    async force({ wallet, settle, newId }) {
      const { paymentCode } = await wallet("POST payment-codes", { lifetimeSeconds: 0 });
      return settle(operation, scanRequest(newId("cli"), String(paymentCode)));
    },
  },
};

const tokenScenarios: Scenarios = {
  INVALID_ACCESS_TOKEN: {
    operation,
    how: "charge a token that does not exist",
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
    how: "exchange a code that no buyer has brought",
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
    how: "refresh with a token that does not exist",
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
  ...Object.fromEntries(declines.map((code) => [code, declinedFor(code)])),
  ...codeScenarios,
  ...tokenScenarios,
};
