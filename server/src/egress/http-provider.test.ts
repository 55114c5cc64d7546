import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { formatWireTime } from "../core/request-time.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import { writeSignatureHeader } from "../signing/signature-header.ts";
import { signedText } from "../signing/signed-text.ts";
import { waitForLine, startTestProcess } from "../../test/start/test-process.ts";
import { defaultTerms } from "../providers/connector.ts";
import { openTraces } from "../processes/open-traces.ts";
import { readTrace, type Traces } from "../telemetry/trace.ts";
import { createHttpProvider } from "./http-provider.ts";
import { ProviderUnclear, ProviderUnreachable, type NewOrder, type Provider } from "../providers/provider.ts";

const gateway = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ed25519Gateway = generateKeyPairSync("ed25519");
const signer: Signer = {
  newestVersion: () => 1,
  isAvailable: () => true,
  publicKeys: () => new Map([[1, gateway.publicKey]]),
  refresh: async () => undefined,
  sign: async ({ kind, parts, algorithm }) => {
    assert.equal(kind, "providerRequest");
    return algorithm === "Ed25519"
      ? sign(null, signedText(parts), ed25519Gateway.privateKey)
      : sign("sha256", signedText(parts), gateway.privateKey);
  },
};
const signal = new AbortController().signal;
const notAfter = new Date(Date.now() + 60_000);
/** Records nothing before a request is sent, because no lease is taken over in these tests. */
const ignoreBeforeSend = async (): Promise<void> => undefined;
const amount = { currency: "EUR", minor: 1250n };
const partAmount = { currency: "EUR", minor: 1000n };

function createTestProvider(url: string, publicKey: Buffer, traces?: Traces): Provider {
  const key = createPublicKey(publicKey);
  return createHttpProvider({
    connector: {
      name: "w",
      url,
      partnerId: "tollgate",
      publicKey,
      gatewayKeyVersion: 1,
      paymentMethodTypes: ["*"],
      simulator: true,
      terms: defaultTerms,
    },
    keys: [key],
    signer,
    now: () => new Date(),
    callbackUrl: "http://127.0.0.1:9/nobody-listens",
    traces,
  });
}

/** The sandbox provider, and its controls for tests. */
const { provider, control } = await startSandbox();

async function startSandbox() {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-http-provider-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const gatewayKeyFile = join(folder, "gateway.pem");
  writeFileSync(gatewayKeyFile, ed25519Gateway.publicKey.export({ format: "pem", type: "spki" }));
  const words = ["--data", join(folder, "data"), "--partner-id", "tollgate"];
  const started = startTestProcess(
    ["sandbox/src/main.ts", ...words, "--gateway-public-key", gatewayKeyFile],
    {},
  );
  const ready = JSON.parse(await waitForLine(started, /^\{/)) as Record<string, string>;
  const { walletUrl = "", publicKeyFile = "", controlSecret = "" } = ready;
  return {
    provider: createTestProvider(walletUrl, readFileSync(publicKeyFile)),
    async control(path: string, body: object = {}): Promise<void> {
      const response = await fetch(`${walletUrl}/control/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${controlSecret}` },
        body: JSON.stringify(body),
      });
      assert.equal(response.status, 200, await response.text());
    },
  };
}

let orderCount = 0;
const owner = { merchantId: "SANDBOX_A", account: undefined, registrationId: undefined };

const part = { owner, amount: partAmount, notAfter };
const captureOf = (reference: string, captureReference: string) => ({
  ...part,
  reference,
  captureReference,
  isLast: false,
});
const refundOf = (reference: string, refundReference: string) => ({ ...part, reference, refundReference });

/** Returns an order that the buyer has approved. */
async function createApprovedOrder(captureMode: NewOrder["captureMode"]): Promise<NewOrder> {
  orderCount += 1;
  const order: NewOrder = {
    reference: `order-${orderCount}`,
    owner,
    paymentId: `payment-${orderCount}`,
    merchantName: "Coffee Lab",
    description: "Two coffees",
    amount,
    paymentMethodType: "GCASH",
    notAfter: new Date(Date.now() + 60_000),
    expiresAt: new Date(Date.now() + 60_000),
    redirectUrl: undefined,
    paymentCode: undefined,
    captureMode,
  };
  assert.equal((await provider.submit(order, signal, ignoreBeforeSend)).state, "OPEN");
  await control(`payments/${order.paymentId}/approve`);
  return order;
}

test("an order with automatic capture is paid, one with manual capture is authorized", async () => {
  const paid = await createApprovedOrder("AUTOMATIC");
  const authorized = await createApprovedOrder("MANUAL");
  const reports = [await provider.inquire(paid, signal), await provider.inquire(authorized, signal)];
  assert.partialDeepStrictEqual(reports, [
    { state: "PAID", amount, paidAmount: amount },
    { state: "AUTHORIZED", amount, paidAmount: amount },
  ]);
});

test("an authorized order is captured, and an inquiry to the provider shows it", async () => {
  const { reference } = await createApprovedOrder("MANUAL");
  const capture = captureOf(reference, "capture-1");
  assert.deepEqual(await provider.inquireCapture(capture, signal), { state: "NOT_FOUND" });
  assert.deepEqual(await provider.capture(capture, signal, ignoreBeforeSend), { state: "DONE" });
  assert.deepEqual(await provider.capture(capture, signal, ignoreBeforeSend), { state: "DONE" });
  assert.deepEqual(await provider.inquireCapture(capture, signal), { state: "DONE" });
  const otherAmount = { ...capture, amount: { ...partAmount, minor: partAmount.minor - 1n } };
  assert.deepEqual(await provider.inquireCapture(otherAmount, signal), {
    state: "MISMATCH",
    field: "amount",
  });
  assert.equal((await provider.cancel({ reference, owner, notAfter }, signal)).state, "AUTHORIZED");
});

test("the last capture releases the rest, which cannot be captured any more", async () => {
  const { reference } = await createApprovedOrder("MANUAL");
  const last = { ...captureOf(reference, "capture-last"), isLast: true };
  assert.deepEqual(await provider.capture(last, signal, ignoreBeforeSend), { state: "DONE" });
  const secondCapture = { ...last, captureReference: "capture-more", isLast: false };
  assert.deepEqual(await provider.capture(secondCapture, signal, ignoreBeforeSend), {
    state: "REFUSED",
    resultCode: "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
  });
});

test("an authorization without a capture is released by a cancel", async () => {
  const { reference } = await createApprovedOrder("MANUAL");
  assert.equal((await provider.cancel({ reference, owner, notAfter }, signal)).state, "CLOSED");
});

test("a capture is rejected for the reasons of the protocol", async () => {
  const held = await createApprovedOrder("MANUAL");
  const paid = await createApprovedOrder("AUTOMATIC");
  const capture = async (reference: string, captureReference: string, minor: bigint, currency = "EUR") =>
    provider.capture(
      { reference, owner, captureReference, amount: { currency, minor }, isLast: false, notAfter },
      signal,
      ignoreBeforeSend,
    );
  await capture(held.reference, "capture-2", 1000n);
  const reports = [
    await capture(held.reference, "capture-2", 250n),
    await capture(held.reference, "capture-3", 251n),
    await capture(held.reference, "capture-3", 250n, "USD"),
    await capture(paid.reference, "capture-3", 1n),
    await capture("never", "capture-3", 1n),
  ];
  assert.deepEqual(
    reports,
    [
      "REPEAT_REQ_INCONSISTENT",
      "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
      "CURRENCY_NOT_SUPPORT",
      "ORDER_STATUS_INVALID",
      "ORDER_NOT_EXIST",
    ].map((resultCode) => ({ state: "REFUSED", resultCode })),
  );
});

test("a refund is done at once, or in process until the provider has done it", async () => {
  const quick = await createApprovedOrder("AUTOMATIC");
  const slow = await createApprovedOrder("AUTOMATIC");
  await control("faults", { kind: "refund-pending", match: { paymentId: slow.paymentId } });
  const first = refundOf(quick.reference, "refund-1");
  const second = refundOf(slow.reference, "refund-2");

  assert.deepEqual(await provider.refund(first, signal, ignoreBeforeSend), { state: "DONE" });
  assert.deepEqual(await provider.inquireRefund(first, signal), { state: "DONE" });
  assert.deepEqual(await provider.inquireRefund(second, signal), { state: "NOT_FOUND" });
  assert.deepEqual(await provider.refund(second, signal, ignoreBeforeSend), { state: "PROCESSING" });
  assert.deepEqual(await provider.inquireRefund(second, signal), { state: "PROCESSING" });
  await control("refunds/refund-2/finish");
  assert.deepEqual(await provider.inquireRefund(second, signal), { state: "DONE" });
  assert.deepEqual(await provider.refund(second, signal, ignoreBeforeSend), { state: "DONE" });
  const other = { ...second, reference: quick.reference };
  assert.deepEqual(await provider.inquireRefund(other, signal), { state: "MISMATCH", field: "reference" });
});

test("a refund is rejected if it is too much, or for an unknown order", async () => {
  const { reference } = await createApprovedOrder("AUTOMATIC");
  const refund = async (orderReference: string, minor: bigint) =>
    provider.refund(
      {
        reference: orderReference,
        owner,
        refundReference: "refund-3",
        amount: { ...amount, minor },
        notAfter,
      },
      signal,
      ignoreBeforeSend,
    );
  const tooMuch = { state: "REFUSED", resultCode: "REFUND_AMOUNT_EXCEED" };
  assert.deepEqual(await refund(reference, 1251n), tooMuch);
  assert.deepEqual(await refund("never", 1n), { state: "REFUSED", resultCode: "ORDER_NOT_EXIST" });
});

test("a registration is accepted, rejected with reasons, or pending until the provider has decided", async () => {
  const register = (reference: string, productCodes = ["IN_STORE_PAYMENT"]) =>
    provider.register(
      {
        reference,
        registrationRequestId: reference,
        productCodes,
        merchant: { referenceMerchantId: "m" },
        store: undefined,
        passThroughInfo: undefined,
      },
      signal,
    );
  await control("registrations/no/reject", { rejectReasons: ["No."] });
  await control("registrations/later/hold");
  const rejected = { state: "REJECTED", rejectReasons: ["No."] };

  assert.deepEqual(await provider.inquireRegistration("yes", signal), { state: "NOT_FOUND" });
  const approved = await register("yes");
  assert.match((approved.state === "APPROVED" && approved.providerRegistrationId) || "", /^wg_/);
  assert.deepEqual(await register("no"), rejected);
  assert.deepEqual(await provider.inquireRegistration("no", signal), rejected);
  assert.deepEqual(await register("later"), { state: "PROCESSING" });
  await control("registrations/later/accept");
  assert.equal((await provider.inquireRegistration("later", signal)).state, "APPROVED");
  assert.equal((await register("yes", ["CASHIER_PAYMENT"])).state, "REJECTED");
});

test("a provider without support for registrations rejects a registration", async () => {
  const other = await startFixedAnswerProvider({
    result: { resultCode: "NO_INTERFACE_DEF", resultStatus: "F" },
  });
  assert.deepEqual(await other.inquireRegistration("own", signal), { state: "NOT_NEEDED" });
});

for (const [fault, thrown] of [
  [{ kind: "answer-lost" }, ProviderUnreachable],
  [{ kind: "error-500" }, ProviderUnreachable],
  // The response is not JSON, although the provider has signed it.
  [{ kind: "garbage" }, ProviderUnclear],
  [{ kind: "garbage", wrong: "signature" }, ProviderUnreachable],
] as const) {
  test(`after ${Object.values(fault).join(" of the ")} the outcome is unknown, and an inquiry shows it`, async () => {
    const { reference, paymentId } = await createApprovedOrder("MANUAL");
    const name = `capture-${reference}`;
    const capture = captureOf(reference, name);
    await control("faults", { ...fault, match: { paymentId, verb: "capture" } });
    await assert.rejects(provider.capture(capture, signal, ignoreBeforeSend), thrown);
    assert.deepEqual(await provider.capture(capture, signal, ignoreBeforeSend), { state: "DONE" });
    await control("faults", { ...fault, match: { paymentId, verb: "inquire-capture" } });
    await assert.rejects(provider.inquireCapture(capture, signal), thrown);
    assert.deepEqual(await provider.inquireCapture(capture, signal), { state: "DONE" });
  });
}

/** A provider with its own key that gives the same response to every request. */
async function startFixedAnswerProvider(answer: unknown): Promise<Provider> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const server = createServer((request, response) => {
    const body = Buffer.from(JSON.stringify(answer));
    const time = formatWireTime(Date.now());
    const parts = { method: "POST", path: request.url ?? "", clientId: "tollgate", time, body };
    const signature = writeSignatureHeader(1, sign("sha256", signedText(parts), privateKey));
    request.resume().on("end", () => {
      response.writeHead(200, { "response-time": time, signature }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createTestProvider(url, Buffer.from(publicKey.export({ format: "pem", type: "spki" })));
}

const success = { resultCode: "SUCCESS", resultStatus: "S" };
const ownAmount = { currency: partAmount.currency, value: String(partAmount.minor) };
const aTime = "2026-11-15T09:32:10+00:00";
const ownCapture = { reference: "own", captureReference: "own", amount: ownAmount, captureTime: aTime };
const ownRefund = {
  reference: "own",
  refundReference: "own",
  state: "DONE",
  amount: ownAmount,
  refundTime: aTime,
};
const unusableAnswers = {
  "a success without what was done": { result: success },
  "a success that lacks what is required": {
    result: success,
    capture: { ...ownCapture, captureTime: undefined },
    refund: { ...ownRefund, amount: undefined },
  },
  "a success of another order or registration": {
    result: success,
    order: { reference: "other", state: "CLOSED" },
    registration: { reference: "other", state: "APPROVED" },
  },
  "a refusal of the call and not of what was asked": {
    result: { resultCode: "INVALID_SIGNATURE", resultStatus: "F" },
    capture: ownCapture,
    refund: ownRefund,
    registration: { reference: "own", state: "APPROVED" },
  },
  "an unknown outcome": {
    result: { resultCode: "ORDER_STATUS_INVALID", resultStatus: "U" },
    capture: ownCapture,
    refund: ownRefund,
    registration: { reference: "own", state: "APPROVED" },
  },
  "an answer without a result": { capture: ownCapture },
  "a null": JSON.parse("null") as unknown,
};
for (const [name, answer] of Object.entries(unusableAnswers)) {
  test(`${name} decides nothing, but is a valid response`, async () => {
    const other = await startFixedAnswerProvider(answer);
    const references = { reference: "own", owner, captureReference: "own", refundReference: "own" };
    const requestedMoney = { ...references, amount: partAmount, isLast: false, notAfter };
    for (const request of [
      () => other.inquire(references, signal),
      () => other.capture(requestedMoney, signal, ignoreBeforeSend),
      () => other.inquireCapture(requestedMoney, signal),
      () => other.refund(requestedMoney, signal, ignoreBeforeSend),
      () => other.inquireRefund(requestedMoney, signal),
      () => other.inquireRegistration("own", signal),
    ])
      await assert.rejects(request, ProviderUnclear);
  });
}

test("a capture or refund that is reported with other values is a mismatch, in the response and on inquiry", async () => {
  const other = await startFixedAnswerProvider({
    result: success,
    capture: { ...ownCapture, captureReference: "other" },
    refund: { ...ownRefund, amount: { currency: "USD", value: ownAmount.value } },
  });
  const names = { reference: "own", owner, captureReference: "own", refundReference: "own" };
  const own = { ...names, amount: partAmount, isLast: false, notAfter };
  const ofItself = { state: "MISMATCH", field: "moneyReference" };
  const ofAmount = { state: "MISMATCH", field: "amount" };
  assert.deepEqual(await other.capture(own, signal, ignoreBeforeSend), ofItself);
  assert.deepEqual(await other.inquireCapture(own, signal), ofItself);
  assert.deepEqual(await other.refund(own, signal, ignoreBeforeSend), ofAmount);
  assert.deepEqual(await other.inquireRefund(own, signal), ofAmount);
});

test("a provider gets the trace of a request, if there is one", async () => {
  const traceparents: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    traceparents.push(request.headers.traceparent as string | undefined);
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const traces = openTraces();
  const publicKey = ed25519Gateway.publicKey.export({ format: "pem", type: "spki" });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tracedProvider = createTestProvider(url, Buffer.from(publicKey), traces);
  const trace = readTrace([], "0f8fad5b-d9cb-469f-a165-70867728950e");
  await assert.rejects(
    traces.run(trace, { kind: "job", name: "inquire" }, () =>
      tracedProvider.inquire({ reference: "a", owner }, signal),
    ),
  );
  await assert.rejects(tracedProvider.inquire({ reference: "b", owner }, signal));
  server.close();
  server.closeAllConnections();
  assert.deepEqual(traceparents, ["00-0f8fad5bd9cb469fa16570867728950e-a16570867728950e-01", undefined]);
});
