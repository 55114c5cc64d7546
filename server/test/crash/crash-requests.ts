import assert from "node:assert/strict";
import { providerReference } from "../../src/core/provider-reference.ts";
import { consultRequest } from "../shop/test-authorization.ts";
import { asSuperuser } from "../start/test-database.ts";
import { call, pathOf, type ReceivedAnswer } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest, tillRequest, type TestStack } from "../start/test-stack.ts";

/** An API request during which a process is killed. */
export interface CrashRequest {
  /** Uses a healthy process to create the state that the request needs. Each name is used once. */
  prepare(name: string): Promise<CallAsked>;
  /** Checks that the outcome is final, that there is one effect, and that repeats get the same response. */
  check(asked: CallAsked): Promise<void>;
}

export interface CallAsked {
  /** Under `api/v1`. */
  readonly path: string;
  readonly body: object;
  /** The payment id or reference by which the provider knows the record. */
  readonly named: string;
}

/** Requests other than payments that move or reserve money; `url` is that of a process that keeps running. */
export function crashCalls(stack: TestStack, url: () => string): Readonly<Record<string, CrashRequest>> {
  const ask = ({ path, body }: Pick<CallAsked, "path" | "body">): Promise<ReceivedAnswer> =>
    call(url(), stack.merchant, { path: pathOf("sandbox", path), body: JSON.stringify(body) });
  const crashing: Crashing = {
    ...stack,
    /**
     * The timeout is 30 s, because the lease of a dead process expires after 15 s, and an overloaded process rejects
     * requests.
     */
    until: (asked, isFinal) => eventually(30_000, () => ask(asked), isFinal),
    done: (path, body) => eventually(30_000, () => ask({ path, body }), hasCode("SUCCESS")),
    linesOf: (named) =>
      stack.provider
        .effects()
        .filter(({ paymentId, reference }) => named === (paymentId ?? reference))
        .map(({ kind, outcome, state }) => [kind, outcome ?? state].filter(Boolean).join(" ")),
  };
  return {
    "accepting a dispute": answering(crashing, "acceptDispute", "ACCEPTED"),
    "defending against a dispute": answering(crashing, "supplyDefenseDocument", "DEFENDED"),
    "asking a buyer for consent": consulting(crashing),
    "applying for a token": applying(crashing),
    "revoking a token": revoking(crashing),
    "paying with a token": payingByToken(crashing),
    "paying in a store": payingInStore(crashing),
    "registering a store": registering(crashing),
  };
}

interface Crashing extends TestStack {
  until(asked: CallAsked, isFinal: (answer: ReceivedAnswer) => boolean): Promise<ReceivedAnswer>;
  done(path: string, body: object): Promise<ReceivedAnswer>;
  /** The provider's journal: requests and their effects. */
  linesOf(named: string): readonly string[];
}

function hasCode(code: string): (answer: ReceivedAnswer) => boolean {
  return ({ json }) => json.result["resultCode"] === code;
}

/** Asserts that a repeat of the request gets the same final response. */
async function assertRepeatIsEqual(
  { until }: Crashing,
  asked: CallAsked,
  code: string,
): Promise<ReceivedAnswer> {
  const first = await until(asked, hasCode(code));
  assert.deepEqual((await until(asked, hasCode(code))).json, first.json);
  return first;
}

function answering(crashing: Crashing, verb: string, state: "ACCEPTED" | "DEFENDED"): CrashRequest {
  const { provider, database, linesOf } = crashing;
  return {
    async prepare(name) {
      const paymentId = await paid(crashing, `${name}-${verb}`);
      const disputeId = await disputed(crashing, paymentId);
      const disputeEvidence = Buffer.from("%PDF-1.4 proof of delivery").toString("base64");
      // The provider drops its callbacks, so the gateway must find the outcome by polling.
      await provider.fault({ kind: "callback-drop", match: { paymentId }, count: 1_000 });
      const body = { disputeId, ...(state === "DEFENDED" && { disputeEvidence }) };
      return { path: `payments/${verb}`, body, named: paymentId };
    },
    async check(asked) {
      await assertRepeatIsEqual(crashing, asked, "REPEAT_REQUEST");
      const changes = linesOf(asked.named).filter((line) => line.startsWith("dispute-changed"));
      assert.deepEqual(changes, [`dispute-changed ${state}`]);
      const [row] = await asSuperuser<{ status: string; debited: string; transfers: number }>(
        `select status, debited_minor::text as debited,
           (select count(*)::int from ledger_transfers where subject_id = dispute_id) as transfers
         from disputes where payment_id = $1`,
        [asked.named],
        database.superuserUrl,
      );
      const isLost = state === "ACCEPTED";
      assert.deepEqual(row, { status: state, debited: isLost ? "1250" : "0", transfers: isLost ? 2 : 1 });
    },
  };
}

/** A paid payment of 12.50 EUR. */
async function paid({ provider, done, until }: Crashing, paymentRequestId: string): Promise<string> {
  const asked = { path: "payments/pay", body: payRequest(paymentRequestId), named: "" };
  const { json } = await until(asked, hasCode("PAYMENT_IN_PROCESS"));
  const paymentId = String(json["paymentId"]);
  await provider.control(paymentId, "approve");
  await eventually(
    10_000,
    () => done("payments/inquiryPayment", { paymentId }),
    (answer) => answer.json["paymentStatus"] === "SUCCESS",
  );
  return paymentId;
}

async function disputed({ provider, database }: Crashing, paymentId: string): Promise<string> {
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

function consentNamed({ merchant }: Crashing, authState: string): CallAsked {
  const nowhere = { notifyUrl: "https://shop.example/notify" };
  return {
    path: "authorizations/consult",
    body: consultRequest(nowhere, authState),
    named: providerReference("sandbox", merchant.clientId, "authorization", authState),
  };
}

/** `agreed` gets a buyer's consent, from the consent request to the code that the buyer brings back. */
async function agreed(crashing: Crashing, authState: string): Promise<CallAsked> {
  const { path, body, named } = consentNamed(crashing, authState);
  await crashing.done(path, body);
  const { authCode } = await crashing.provider.authorization(authState, "agree");
  const given = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
  return { path: "authorizations/applyToken", body: given, named };
}

/** `linked` gets a buyer's consent, from the consent request to the token. */
async function linked(
  crashing: Crashing,
  authState: string,
): Promise<{ accessToken: string; named: string }> {
  const { path, body, named } = await agreed(crashing, authState);
  const { json } = await crashing.done(path, body);
  return { accessToken: String(json["accessToken"]), named };
}

function consulting(crashing: Crashing): CrashRequest {
  return {
    prepare: async (name) => consentNamed(crashing, `${name}-consult`),
    async check(asked) {
      const { json } = await assertRepeatIsEqual(crashing, asked, "SUCCESS");
      assert.ok(json["normalUrl"]);
      assert.equal(crashing.linesOf(asked.named).filter((line) => line === "authorize opened").length, 1);
    },
  };
}

function applying(crashing: Crashing): CrashRequest {
  return {
    prepare: (name) => agreed(crashing, `${name}-apply`),
    async check(asked) {
      const { json } = await assertRepeatIsEqual(crashing, asked, "SUCCESS");
      assert.ok(json["accessToken"]);
      const made = crashing.linesOf(asked.named).filter((line) => line === "exchange-code done");
      assert.equal(made.length, 1);
    },
  };
}

function revoking(crashing: Crashing): CrashRequest {
  return {
    async prepare(name) {
      const { accessToken, named } = await linked(crashing, `${name}-revoke`);
      return { path: "authorizations/revoke", body: { accessToken }, named };
    },
    async check(asked) {
      await assertRepeatIsEqual(crashing, asked, "INVALID_ACCESS_TOKEN");
      const queried = await crashing.done("authorizations/query", asked.body);
      assert.equal(queried.json["tokenStatusType"], "REVOKED");
      const lines = await eventually(
        30_000,
        async () => crashing.linesOf(asked.named).filter((line) => line === "authorization-changed REVOKED"),
        (found) => found.length > 0,
      );
      assert.equal(lines.length, 1);
    },
  };
}

function payingByToken(crashing: Crashing): CrashRequest {
  return {
    async prepare(name) {
      const { accessToken } = await linked(crashing, `${name}-token`);
      const body = payRequest(`${name}-token`, {
        productCode: "AGREEMENT_PAYMENT",
        paymentMethod: { paymentMethodType: "GCASH", paymentMethodId: accessToken },
        paymentRedirectUrl: undefined,
        env: undefined,
      });
      return { path: "payments/pay", body, named: "" };
    },
    check: (asked) => isPaidOnce(crashing, asked),
  };
}

function payingInStore(crashing: Crashing): CrashRequest {
  return {
    async prepare(name) {
      // The payment code is valid for the whole test, because a request whose process died before the claim is sent
      // again only at the end.
      const paymentMethodId = await crashing.provider.paymentCode({ lifetimeSeconds: 3_600 });
      const paymentMethod = { paymentMethodType: "CONNECT_WALLET", paymentMethodId };
      const body = tillRequest(`${name}-till`, "PaymentCode", { paymentMethod });
      return { path: "payments/pay", body, named: "" };
    },
    check: (asked) => isPaidOnce(crashing, asked),
  };
}

async function isPaidOnce(crashing: Crashing, asked: CallAsked): Promise<void> {
  const { json } = await assertRepeatIsEqual(crashing, asked, "SUCCESS");
  const lines = crashing.linesOf(String(json["paymentId"]));
  assert.equal(lines.filter((line) => line === "submit opened").length, 1);
  assert.equal(lines.filter((line) => line === "paid").length, 1);
}

function registering(crashing: Crashing): CrashRequest {
  const { merchant, linesOf } = crashing;
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
      const named = providerReference(
        "sandbox",
        clientId,
        "registration test-provider",
        registrationRequestId,
      );
      return { path: "merchants/registration", body, named };
    },
    async check(asked) {
      await assertRepeatIsEqual(crashing, asked, "SUCCESS");
      const { registrationRequestId } = asked.body as { readonly registrationRequestId: string };
      const inquiry = {
        path: "merchants/inquiryRegistrationStatus",
        body: { registrationRequestId },
        named: "",
      };
      await crashing.until(inquiry, ({ text }) => text.includes('"COMPLETED"'));
      const decided = linesOf(asked.named).filter((line) => line === "registration-decided APPROVED");
      assert.equal(decided.length, 1);
    },
  };
}
