import assert from "node:assert/strict";
import { test } from "node:test";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { providerReference } from "../core/provider-reference.ts";
import { asSuperuser, expireLeases } from "../../test/start/test-database.ts";
import { call, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { isWebhookSigned, startTestShop } from "../../test/start/test-shop.ts";
import { callPayments, startTestStack, inStorePayRequest } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
await addConnector(database.ownerUrl, "sandbox", {
  name: "strict",
  url: provider.url,
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  paymentMethodTypes: ["STRICT_WALLET"],
  simulator: true,
  terms: { demandsRegistration: true },
});
const shop = await startTestShop();
const { url } = await stack.serve({ isPublic: true });
await stack.work();

/** A complete request; the ids of merchant and store are derived from its id. */
function storeRequest(id: string, otherFields: object = {}): object {
  return {
    registrationRequestId: id,
    productCodes: ["IN_STORE_PAYMENT"],
    merchantInfo: { referenceMerchantId: `m-${id}`, merchantMCC: "5814", merchantDisplayName: "Coffee Lab" },
    storeInfo: { referenceStoreId: `s-${id}`, storeName: "Coffee Lab, Harbour" },
    registrationNotifyURL: shop.notifyUrl,
    ...otherFields,
  };
}

/** A request about the merchant and the store of an earlier one. */
function registerAgain(id: string, earlier: string, otherFields: object = {}): object {
  return { ...storeRequest(earlier), registrationRequestId: id, ...otherFields };
}

/** Sends a request, and retries while the process rejects requests because of overload. */
function callRegistration(operation: string, request: object): Promise<ReceivedAnswer> {
  const path = pathOf("sandbox", `merchants/${operation}`);
  return eventually(
    20_000,
    () => call(url, merchant, { path, body: JSON.stringify(request) }),
    ({ json }) => json.result["resultCode"] !== "REQUEST_TRAFFIC_EXCEED_LIMIT",
  );
}

async function register(request: object): Promise<string | undefined> {
  return (await callRegistration("registration", request)).json.result["resultCode"];
}

function statusOf(registrationRequestId: string): Promise<ReceivedAnswer> {
  return callRegistration("inquiryRegistrationStatus", { registrationRequestId });
}

function statusOnce(
  registrationRequestId: string,
  status: string,
  timeoutMs = 15_000,
): Promise<ReceivedAnswer> {
  return eventually(
    timeoutMs,
    () => statusOf(registrationRequestId),
    ({ json }) =>
      (json["registrationResult"] as { registrationStatus?: string })?.registrationStatus === status,
  );
}

function referenceAt(connector: string, registrationRequestId: string): string {
  return providerReference("sandbox", merchant.clientId, `registration ${connector}`, registrationRequestId);
}

/** Entries of the provider's journal about a registration. */
function linesOf(registrationRequestId: string, connector = "strict"): readonly string[] {
  const reference = referenceAt(connector, registrationRequestId);
  return provider
    .effects()
    .filter((line) => line["reference"] === reference)
    .map(({ kind, outcome, state }) => `${String(kind)} ${String(outcome ?? state)}`);
}

const approved = { registrationStatus: "APPROVED" };
const completed = { registrationStatus: "COMPLETED" };

test("a store is accepted by every provider, and its merchant gets a webhook", async () => {
  const { json } = await callRegistration(
    "registration",
    storeRequest("accepted", { passThroughInfo: '{"a":"b"}' }),
  );
  assert.equal(json.result["resultCode"], "SUCCESS");
  assert.equal(json["passThroughInfo"], '{"a":"b"}');

  const [webhook] = await shop.waitForRegistration("accepted", 1);
  const result = {
    registrationResult: completed,
    pspRegistrationResultList: [
      { pspName: "strict", registrationResult: approved },
      { pspName: "test-provider", registrationResult: approved },
    ],
  };
  assert(webhook);
  assert.deepEqual(webhook.json, {
    referenceMerchantId: "m-accepted",
    registrationRequestId: "accepted",
    referenceStoreId: "s-accepted",
    ...result,
    sequence: 2,
  });
  assert.ok(isWebhookSigned(webhook, merchant.gatewayPublicKey));
  assert.partialDeepStrictEqual((await statusOf("accepted")).json, result);
  assert.deepEqual(linesOf("accepted"), ["register opened", "registration-decided APPROVED"]);
});

test("a repeated request is the same registration, other content is refused, and there is one webhook", async () => {
  const request = storeRequest("repeated");
  assert.equal(await register(request), "SUCCESS");
  await statusOnce("repeated", "COMPLETED");
  assert.equal(await register(request), "SUCCESS");
  const otherResponse = await callRegistration("registration", {
    ...request,
    storeInfo: { referenceStoreId: "another" },
  });
  assert.equal(otherResponse.json.result["resultCode"], "REPEAT_REQ_INCONSISTENT");

  assert.equal(linesOf("repeated").length, 2);
  const rows = await asSuperuser(
    `select from notifications as n join registrations as r on r.registration_id = n.subject_id
     where r.registration_request_id = 'repeated'`,
    [],
    database.superuserUrl,
  );
  assert.equal(rows.length, 1);
});

test("twenty concurrent requests with one id create one registration", async () => {
  const codes = await Promise.all(Array.from({ length: 20 }, () => register(storeRequest("rush"))));
  assert.deepEqual([...new Set(codes)], ["SUCCESS"]);
  await statusOnce("rush", "COMPLETED");
  assert.deepEqual(linesOf("rush"), ["register opened", "registration-decided APPROVED"]);
});

test("a rejected store gets the reasons, and is accepted with a new request", async () => {
  const rejectReasons = ["The logo is missing.", "The address is not on any map."];
  await provider.registration("rejected", "reject", { rejectReasons });
  assert.equal(await register(storeRequest("rejected")), "SUCCESS");
  const [webhook] = await shop.waitForRegistration("rejected", 1);
  const rejected = { registrationStatus: "REJECTED", rejectReasons };
  assert.partialDeepStrictEqual(webhook?.json, {
    registrationResult: { registrationStatus: "REJECTED" },
    pspRegistrationResultList: [
      { pspName: "strict", registrationResult: rejected },
      { pspName: "test-provider", registrationResult: rejected },
    ],
  });
  const named = { referenceMerchantId: "m-rejected", referenceStoreId: "s-rejected" };
  const unknown = await callRegistration("inquiryRegistrationInfo", named);
  assert.equal(unknown.json.result["resultCode"], "RECORD_NOT_FOUND");

  // The details are the same as in the rejected registration; only the provider's decision differs.
  assert.equal(await register(registerAgain("resubmitted", "rejected")), "SUCCESS");
  await statusOnce("resubmitted", "COMPLETED");
  const first = await statusOf("rejected");
  assert.partialDeepStrictEqual(first.json["registrationResult"], { registrationStatus: "REJECTED" });
  const newest = await callRegistration("inquiryRegistrationStatus", named);
  assert.deepEqual(newest.json["registrationResult"], completed);
});

test(
  "if one provider accepts and another rejects, the registration is completed, with each provider's " +
    "decision",
  async () => {
    await provider.registration(referenceAt("strict", "split"), "reject", { rejectReasons: ["No."] });
    assert.equal(await register(storeRequest("split")), "SUCCESS");
    const { json } = await statusOnce("split", "COMPLETED");
    assert.deepEqual(json["pspRegistrationResultList"], [
      { pspName: "strict", registrationResult: { registrationStatus: "REJECTED", rejectReasons: ["No."] } },
      { pspName: "test-provider", registrationResult: approved },
    ]);
    // After a rejection the same details may be sent again.
    assert.equal(await register(registerAgain("split-again", "split")), "SUCCESS");
  },
);

test("a slow provider is polled until it has decided, and nothing is sent twice", async () => {
  await provider.registration("slow", "hold");
  assert.equal(await register(storeRequest("slow")), "SUCCESS");
  await statusOnce("slow", "PROCESSING");
  assert.equal(await register(registerAgain("too-early", "slow")), "ABNORMAL_REGISTRATION_STATUS");
  const { json } = await call(url, merchant, {
    path: pathOf("sandbox", "tollgate/inquiryOpenRecords"),
    body: "{}",
  });
  assert.match(JSON.stringify(json), /"kind":"registration"/);
  const open = await eventually(
    10_000,
    async () => linesOf("slow"),
    (lines) => lines.length === 1,
  );
  assert.deepEqual(open, ["register opened"]);

  for (const connector of ["strict", "test-provider"])
    await provider.registration(referenceAt(connector, "slow"), "accept");
  await statusOnce("slow", "COMPLETED");
  assert.deepEqual(linesOf("slow"), ["register opened", "registration-decided APPROVED"]);
});

test("a lost response of the provider causes no second registration", async () => {
  await provider.fault({ kind: "answer-lost", count: 2, match: { verb: "register" } });
  assert.equal(await register(storeRequest("lost")), "SUCCESS");
  await statusOnce("lost", "COMPLETED");
  assert.deepEqual(linesOf("lost"), [
    "register opened",
    "registration-decided APPROVED",
    "fault undefined",
    "register repeated",
  ]);
});

test(
  "a registered store is registered again only with changed details, and the newest accepted details are " +
    "returned",
  async () => {
    assert.equal(await register(storeRequest("known")), "SUCCESS");
    await statusOnce("known", "COMPLETED");
    assert.equal(await register(registerAgain("known-again", "known")), "REPEAT_REGISTRATION");

    const renamedStore = { referenceStoreId: "s-known", storeName: "Coffee Lab, Station" };
    assert.equal(
      await register(registerAgain("known-moved", "known", { storeInfo: renamedStore })),
      "SUCCESS",
    );
    await statusOnce("known-moved", "COMPLETED");
    await provider.registration("known-wrong", "reject");
    assert.equal(
      await register(
        registerAgain("known-wrong", "known", { storeInfo: { ...renamedStore, storeName: "?" } }),
      ),
      "SUCCESS",
    );
    await statusOnce("known-wrong", "REJECTED");
    const { json } = await callRegistration("inquiryRegistrationInfo", { referenceMerchantId: "m-known" });
    assert.deepEqual(json["storeInfo"], renamedStore);
    assert.deepEqual(json["productCodes"], ["IN_STORE_PAYMENT"]);
    assert.partialDeepStrictEqual(json["merchantInfo"], {
      referenceMerchantId: "m-known",
      merchantMCC: "5814",
    });
  },
);

test("after a crash at any point, the store is registered once, and its merchant gets one webhook", async () => {
  const points = ["after-claim-commit", "after-provider-call", "before-outcome-commit"] as const;
  const died = points.map(async (crashAt) => {
    const crashingGateway = await stack.serve({ crashAt });
    const request = storeRequest(crashAt);
    await eventually(
      10_000,
      async () => {
        const signedRequest = {
          path: pathOf("sandbox", "merchants/registration"),
          body: JSON.stringify(request),
        };
        await call(crashingGateway.url, merchant, signedRequest).catch(() => undefined);
        return crashingGateway.process.child.signalCode;
      },
      (signal) => signal === "SIGKILL",
    );
  });
  await Promise.all(died);
  await expireLeases(database);
  for (const crashAt of points) {
    await statusOnce(crashAt, "COMPLETED", 40_000);
    assert.equal((await shop.waitForRegistration(crashAt, 1)).length, 1);
    assert.equal(linesOf(crashAt).filter((line) => line === "registration-decided APPROVED").length, 1);
  }
});

for (const [description, request] of [
  ["a store payment without a store", storeRequest("wrong", { storeInfo: undefined })],
  ["an id that is too long", storeRequest("x".repeat(65))],
  ["no product", storeRequest("wrong", { productCodes: [] })],
  ["an unknown product", storeRequest("wrong", { productCodes: ["GIFT"] })],
  ["a merchant without an id", storeRequest("wrong", { merchantInfo: { merchantMCC: "5814" } })],
  ["a store id that is too long", storeRequest("wrong", { storeInfo: { referenceStoreId: "s".repeat(33) } })],
  [
    "a website without a valid URL",
    storeRequest("wrong", { merchantInfo: { referenceMerchantId: "m", websites: [{ url: "coffee" }] } }),
  ],
  [
    "an online merchant without a display name",
    storeRequest("wrong", { productCodes: ["CASHIER_PAYMENT"], merchantInfo: { referenceMerchantId: "m" } }),
  ],
] as const) {
  test(`${description} is refused`, async () => assert.equal(await register(request), "PARAM_ILLEGAL"));
}

test("inquiries about unknown merchants, or without an id, are refused", async () => {
  const codeOf = async (operation: string, request: object): Promise<unknown> =>
    (await callRegistration(operation, request)).json.result["resultCode"];
  assert.equal(await codeOf("inquiryRegistrationStatus", {}), "PARAM_ILLEGAL");
  assert.equal(
    await codeOf("inquiryRegistrationStatus", { registrationRequestId: "never" }),
    "RECORD_NOT_FOUND",
  );
  const mixed = { registrationRequestId: "accepted", referenceMerchantId: "m-other" };
  assert.equal(await codeOf("inquiryRegistrationStatus", mixed), "RECORD_NOT_FOUND");
  assert.equal(await codeOf("inquiryRegistrationInfo", { referenceMerchantId: "never" }), "RECORD_NOT_FOUND");
  assert.equal(await codeOf("inquiryRegistrationInfo", {}), "PARAM_ILLEGAL");
});

test("if the operator requires registration, a store can be paid only after the provider has accepted it", async () => {
  const pay = async (id: string, paymentMethodType: string): Promise<unknown> => {
    const request = inStorePayRequest(id, "OrderCode", { paymentMethod: { paymentMethodType } });
    return (await callPayments(url, merchant, "pay", request)).json.result["resultCode"];
  };
  assert.equal(await pay("unregistered", "STRICT_WALLET"), "MERCHANT_NOT_REGISTERED");
  assert.equal(await pay("easy-going", "CONNECT_WALLET"), "SUCCESS");

  const merchantInfo = { referenceMerchantId: "m-1" };
  const storeInfo = { referenceStoreId: "store-1" };
  await provider.registration(referenceAt("strict", "till"), "hold");
  assert.equal(await register(storeRequest("till", { merchantInfo, storeInfo })), "SUCCESS");
  assert.equal(await pay("under-way", "STRICT_WALLET"), "MERCHANT_NOT_REGISTERED");
  await eventually(
    10_000,
    async () => linesOf("till"),
    (lines) => lines.length === 1,
  );
  await provider.registration(referenceAt("strict", "till"), "accept");
  await statusOnce("till", "COMPLETED");
  assert.equal(await pay("registered", "STRICT_WALLET"), "SUCCESS");
  // The refused payment recorded no data, so the point of sale may retry with the same id.
  assert.equal(await pay("unregistered", "STRICT_WALLET"), "SUCCESS");
});
