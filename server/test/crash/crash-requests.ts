import assert from "node:assert/strict";
import { providerReference } from "../../src/core/provider-reference.ts";
import { consultRequest } from "../shop/test-authorization.ts";
import { asSuperuser } from "../start/test-database.ts";
import { call, pathOf, type ReceivedAnswer } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, inStorePayRequest, type TestStack } from "../start/test-stack.ts";

/** An API request during which a process is killed. */
export interface CrashRequest {
  /** Uses a healthy process to create the state that the request needs. Each name is used once. */
  prepare(name: string): Promise<PreparedRequest>;
  /** Checks that the outcome is final, that there is one effect, and that repeats get the same response. */
  check(prepared: PreparedRequest): Promise<void>;
}

export interface PreparedRequest {
  /** Under `api/v1`. */
  readonly path: string;
  readonly body: object;
  /** The payment id or reference by which the provider knows the record. */
  readonly providerKey: string;
}

/** Requests other than payments that move or reserve money; `url` is that of a process that keeps running. */
export function crashRequests(stack: TestStack, url: () => string): Readonly<Record<string, CrashRequest>> {
  const sendRequest = ({ path, body }: Pick<PreparedRequest, "path" | "body">): Promise<ReceivedAnswer> =>
    call(url(), stack.merchant, { path: pathOf("sandbox", path), body: JSON.stringify(body) });
  const context: CrashContext = {
    ...stack,
    /**
     * The timeout is 30 s, because the lease of a dead process expires after 15 s, and an overloaded process rejects
     * requests.
     */
    requestUntil: (prepared, isFinal) => eventually(30_000, () => sendRequest(prepared), isFinal),
    requestUntilSuccess: (path, body) =>
      eventually(30_000, () => sendRequest({ path, body }), hasCode("SUCCESS")),
    effectsOf: (providerKey) =>
      stack.provider
        .effects()
        .filter(({ paymentId, reference }) => providerKey === (paymentId ?? reference))
        .map(({ kind, outcome, state }) => [kind, outcome ?? state].filter(Boolean).join(" ")),
  };
  return {
    "accepting a dispute": disputeAnswerCase(context, "acceptDispute", "ACCEPTED"),
    "defending against a dispute": disputeAnswerCase(context, "supplyDefenseDocument", "DEFENDED"),
    "asking a buyer for consent": consultCase(context),
    "applying for a token": applyTokenCase(context),
    "revoking a token": revokeTokenCase(context),
    "paying with a token": tokenPaymentCase(context),
    "paying in a store": inStorePaymentCase(context),
    "registering a store": registrationCase(context),
  };
}

interface CrashContext extends TestStack {
  requestUntil(
    prepared: PreparedRequest,
    isFinal: (answer: ReceivedAnswer) => boolean,
  ): Promise<ReceivedAnswer>;
  requestUntilSuccess(path: string, body: object): Promise<ReceivedAnswer>;
  /** The provider's journal: requests and their effects. */
  effectsOf(providerKey: string): readonly string[];
}

function hasCode(code: string): (answer: ReceivedAnswer) => boolean {
  return ({ json }) => json.result["resultCode"] === code;
}

/** Asserts that a repeat of the request gets the same final response. */
async function assertRepeatIsEqual(
  { requestUntil }: CrashContext,
  prepared: PreparedRequest,
  code: string,
): Promise<ReceivedAnswer> {
  const first = await requestUntil(prepared, hasCode(code));
  assert.deepEqual((await requestUntil(prepared, hasCode(code))).json, first.json);
  return first;
}

function disputeAnswerCase(
  context: CrashContext,
  verb: string,
  state: "ACCEPTED" | "DEFENDED",
): CrashRequest {
  const { provider, database, effectsOf } = context;
  return {
    async prepare(name) {
      const paymentId = await createPaidPayment(context, `${name}-${verb}`);
      const disputeId = await openDispute(context, paymentId);
      const disputeEvidence = Buffer.from("%PDF-1.4 proof of delivery").toString("base64");
      // The provider drops its callbacks, so the gateway must find the outcome by polling.
      await provider.fault({ kind: "callback-drop", match: { paymentId }, count: 1_000 });
      const body = { disputeId, ...(state === "DEFENDED" && { disputeEvidence }) };
      return { path: `payments/${verb}`, body, providerKey: paymentId };
    },
    async check(prepared) {
      await assertRepeatIsEqual(context, prepared, "REPEAT_REQUEST");
      const changes = effectsOf(prepared.providerKey).filter((line) => line.startsWith("dispute-changed"));
      assert.deepEqual(changes, [`dispute-changed ${state}`]);
      const [row] = await asSuperuser<{ status: string; debited: string; transfers: number }>(
        `select status, debited_minor::text as debited,
           (select count(*)::int from ledger_transfers where subject_id = dispute_id) as transfers
         from disputes where payment_id = $1`,
        [prepared.providerKey],
        database.superuserUrl,
      );
      const isLost = state === "ACCEPTED";
      assert.deepEqual(row, { status: state, debited: isLost ? "1250" : "0", transfers: isLost ? 2 : 1 });
    },
  };
}

/** A paid payment of 12.50 EUR. */
async function createPaidPayment(
  { provider, requestUntilSuccess, requestUntil }: CrashContext,
  paymentRequestId: string,
): Promise<string> {
  const prepared = { path: "payments/pay", body: payRequest(paymentRequestId), providerKey: "" };
  const { json } = await requestUntil(prepared, hasCode("PAYMENT_IN_PROCESS"));
  const paymentId = String(json["paymentId"]);
  await provider.control(paymentId, "approve");
  await eventually(
    10_000,
    () => requestUntilSuccess("payments/inquiryPayment", { paymentId }),
    (answer) => answer.json["paymentStatus"] === "SUCCESS",
  );
  return paymentId;
}

async function openDispute({ provider, database }: CrashContext, paymentId: string): Promise<string> {
  assert.equal((await provider.control(paymentId, "dispute")).status, 200);
  const find = (): Promise<readonly { id: string }[]> =>
    asSuperuser<{ id: string }>(
      "select dispute_id as id from disputes where payment_id = $1",
      [paymentId],
      database.superuserUrl,
    );
  const [row] = await eventually(10_000, find, (rows) => rows.length > 0);
  return row?.id ?? assert.fail();
}

function consentRequest({ merchant }: CrashContext, authState: string): PreparedRequest {
  const notifyOptions = { notifyUrl: "https://shop.example/notify" };
  return {
    path: "authorizations/consult",
    body: consultRequest(notifyOptions, authState),
    providerKey: providerReference("sandbox", merchant.clientId, "authorization", authState),
  };
}

/** `obtainConsent` gets a buyer's consent, from the consent request to the code that the buyer brings back. */
async function obtainConsent(context: CrashContext, authState: string): Promise<PreparedRequest> {
  const { path, body, providerKey } = consentRequest(context, authState);
  await context.requestUntilSuccess(path, body);
  const { authCode } = await context.provider.authorization(authState, "agree");
  const given = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
  return { path: "authorizations/applyToken", body: given, providerKey };
}

/** `obtainToken` gets a buyer's consent, from the consent request to the token. */
async function obtainToken(
  context: CrashContext,
  authState: string,
): Promise<{ accessToken: string; providerKey: string }> {
  const { path, body, providerKey } = await obtainConsent(context, authState);
  const { json } = await context.requestUntilSuccess(path, body);
  return { accessToken: String(json["accessToken"]), providerKey };
}

function consultCase(context: CrashContext): CrashRequest {
  return {
    prepare: async (name) => consentRequest(context, `${name}-consult`),
    async check(prepared) {
      const { json } = await assertRepeatIsEqual(context, prepared, "SUCCESS");
      assert.ok(json["normalUrl"]);
      assert.equal(
        context.effectsOf(prepared.providerKey).filter((line) => line === "authorize opened").length,
        1,
      );
    },
  };
}

function applyTokenCase(context: CrashContext): CrashRequest {
  return {
    prepare: (name) => obtainConsent(context, `${name}-apply`),
    async check(prepared) {
      const { json } = await assertRepeatIsEqual(context, prepared, "SUCCESS");
      assert.ok(json["accessToken"]);
      const exchanges = context
        .effectsOf(prepared.providerKey)
        .filter((line) => line === "exchange-code done");
      assert.equal(exchanges.length, 1);
    },
  };
}

function revokeTokenCase(context: CrashContext): CrashRequest {
  return {
    async prepare(name) {
      const { accessToken, providerKey } = await obtainToken(context, `${name}-revoke`);
      return { path: "authorizations/revoke", body: { accessToken }, providerKey };
    },
    async check(prepared) {
      await assertRepeatIsEqual(context, prepared, "INVALID_ACCESS_TOKEN");
      const queried = await context.requestUntilSuccess("authorizations/query", prepared.body);
      assert.equal(queried.json["tokenStatusType"], "REVOKED");
      const lines = await eventually(
        30_000,
        async () =>
          context.effectsOf(prepared.providerKey).filter((line) => line === "authorization-changed REVOKED"),
        (found) => found.length > 0,
      );
      assert.equal(lines.length, 1);
    },
  };
}

function tokenPaymentCase(context: CrashContext): CrashRequest {
  return {
    async prepare(name) {
      const { accessToken } = await obtainToken(context, `${name}-token`);
      const body = payRequest(`${name}-token`, {
        productCode: "AGREEMENT_PAYMENT",
        paymentMethod: { paymentMethodType: "GCASH", paymentMethodId: accessToken },
        paymentRedirectUrl: undefined,
        env: undefined,
      });
      return { path: "payments/pay", body, providerKey: "" };
    },
    check: (prepared) => assertPaidOnce(context, prepared),
  };
}

function inStorePaymentCase(context: CrashContext): CrashRequest {
  return {
    async prepare(name) {
      // The payment code is valid for the whole test, because a request whose process died before the claim is sent
      // again only at the end.
      const paymentMethodId = await context.provider.paymentCode({ lifetimeSeconds: 3_600 });
      const paymentMethod = { paymentMethodType: "CONNECT_WALLET", paymentMethodId };
      const body = inStorePayRequest(`${name}-till`, "PaymentCode", { paymentMethod });
      return { path: "payments/pay", body, providerKey: "" };
    },
    check: (prepared) => assertPaidOnce(context, prepared),
  };
}

async function assertPaidOnce(context: CrashContext, prepared: PreparedRequest): Promise<void> {
  const { json } = await assertRepeatIsEqual(context, prepared, "SUCCESS");
  const lines = context.effectsOf(String(json["paymentId"]));
  assert.equal(lines.filter((line) => line === "submit opened").length, 1);
  assert.equal(lines.filter((line) => line === "paid").length, 1);
}

function registrationCase(context: CrashContext): CrashRequest {
  const { merchant, effectsOf } = context;
  return {
    async prepare(name) {
      const registrationRequestId = `${name}-store`;
      const body = {
        registrationRequestId,
        productCodes: ["IN_STORE_PAYMENT"],
        merchantInfo: {
          referenceMerchantId: `m-${name}`,
          merchantMCC: "5814",
          merchantDisplayName: "Coffee Lab",
        },
        storeInfo: { referenceStoreId: `s-${name}`, storeName: "Coffee Lab, Harbour" },
      };
      const { clientId } = merchant;
      const providerKey = providerReference(
        "sandbox",
        clientId,
        "registration test-provider",
        registrationRequestId,
      );
      return { path: "merchants/registration", body, providerKey };
    },
    async check(prepared) {
      await assertRepeatIsEqual(context, prepared, "SUCCESS");
      const { registrationRequestId } = prepared.body as { readonly registrationRequestId: string };
      const inquiry = {
        path: "merchants/inquiryRegistrationStatus",
        body: { registrationRequestId },
        providerKey: "",
      };
      await context.requestUntil(inquiry, ({ text }) => text.includes('"COMPLETED"'));
      const decided = effectsOf(prepared.providerKey).filter(
        (line) => line === "registration-decided APPROVED",
      );
      assert.equal(decided.length, 1);
    },
  };
}
