import assert from "node:assert/strict";
import { test } from "node:test";
import { Tollgate } from "../../clients/typescript/src/generated/package.ts";
import { fakeGateway, testKeys, type Reply } from "../../clients/typescript/src/testing.ts";
import {
  cancelSafely,
  checkAgain,
  goOn,
  payByCode,
  payByShowing,
  sleep,
  type Settled,
  type Settling,
} from "./by-code.ts";
import { codeRequest, coffeeLab, orderRequest } from "./requests.ts";

const keys = await testKeys();
const shop = {
  ...coffeeLab,
  method: "GCASH",
  payWithinMs: 60_000,
  notifyUrl: "http://127.0.0.1/notifications",
};
const wanted = { id: "till-1-a", amount: { currency: "EUR", value: "450" } };

const said = (resultStatus: string, resultCode: string, more: object = {}): Reply => ({
  body: { result: { resultStatus, resultCode, resultMessage: "" }, paymentId: "p-1", ...more },
});
const found = (paymentStatus: string, more: object = {}): Reply =>
  said("S", "SUCCESS", { paymentStatus, paymentResultCode: paymentStatus, ...more });
const silence: Reply = { fault: "reset" };
const underWay = said("U", "PAYMENT_IN_PROCESS");
const notThere = said("F", "ORDER_NOT_EXIST", { paymentId: undefined });
const cancelled = said("S", "SUCCESS");
const soon = new Date(Date.now() + 60_000).toISOString();
const shown = said("S", "SUCCESS", {
  orderCodeForm: {
    expireTime: soon,
    codeDetails: [{ codeValueType: "QRCODE", displayType: "TEXT", codeValue: "https://wallet.example/1" }],
  },
});
const times = (count: number, reply: Reply): Reply[] => Array.from({ length: count }, () => reply);

interface Outcome {
  readonly settled: Settled;
  /** Operations of the sent requests. */
  readonly sent: readonly string[];
  readonly bodies: readonly string[];
  readonly cancelsNoted: number;
}

interface Play {
  readonly replies: readonly Reply[];
  readonly told?: Promise<Settled>;
  readonly cancelAsked?: AbortSignal;
}

async function play(
  settle: (settling: Settling) => Promise<Settled>,
  { replies, told = new Promise(() => undefined), cancelAsked = new AbortController().signal }: Play,
): Promise<Outcome> {
  const gateway = fakeGateway(replies, keys.privateKey);
  const client = new Tollgate({
    clientId: "SANDBOX_TILL",
    privateKey: (await testKeys()).privateKey,
    gatewayPublicKeys: keys.publicKey,
    baseUrl: "https://gateway.example",
    transport: gateway.transport,
    allowUnsignedRefusals: false,
  });
  let cancelsNoted = 0;
  const settled = await settle({
    payments: client.payments,
    paymentRequestId: wanted.id,
    cancelAsked,
    told,
    onProgress: () => undefined,
    cancelSentAtMs: undefined,
    onCancel: () => void (cancelsNoted += 1),
    pace: 0,
  });
  // The pause records requests that are sent after the outcome, because these count as well.
  await sleep(20);
  const sent = gateway.requests.map(({ url }) => url.split("/").at(-1) ?? "");
  const bodies = gateway.requests.map(({ body }) => new TextDecoder().decode(body));
  return { settled, sent, bodies, cancelsNoted };
}

const byCode = (settling: Settling): Promise<Settled> =>
  payByCode(settling, codeRequest(shop, { ...wanted, code: "281000020000000000000001" }));
const byShowing = (settling: Settling): Promise<Settled> =>
  payByShowing(settling, orderRequest(shop, wanted));
const asked = (count: number): string[] => Array.from({ length: count }, () => "inquiryPayment");
const cancels = (count: number): string[] => Array.from({ length: count }, () => "cancel");

const scripts: readonly {
  readonly name: string;
  readonly settle: (settling: Settling) => Promise<Settled>;
  readonly replies: readonly Reply[];
  readonly outcome: Settled["outcome"];
  readonly sent: readonly string[];
}[] = [
  { name: "SUCCESS is paid", settle: byCode, replies: [found("SUCCESS")], outcome: "paid", sent: ["pay"] },
  {
    name: "F is not paid, and is not cancelled",
    settle: byCode,
    replies: [said("F", "USER_BALANCE_NOT_ENOUGH")],
    outcome: "declined",
    sent: ["pay"],
  },
  {
    name: "U, and then it is paid",
    settle: byCode,
    replies: [underWay, found("PROCESSING"), found("SUCCESS")],
    outcome: "paid",
    sent: ["pay", ...asked(2)],
  },
  {
    name: "no answer, and it was paid",
    settle: byCode,
    replies: [silence, found("SUCCESS")],
    outcome: "paid",
    sent: ["pay", ...asked(1)],
  },
  {
    name: "what the gateway has not heard of may still come",
    settle: byCode,
    replies: [silence, notThere, notThere, found("SUCCESS")],
    outcome: "paid",
    sent: ["pay", ...asked(3)],
  },
  {
    name: "U, and then the wallet says no",
    settle: byCode,
    replies: [underWay, found("FAIL")],
    outcome: "declined",
    sent: ["pay", ...asked(1)],
  },
  {
    name: "after nine inquiries it is cancelled",
    settle: byCode,
    replies: [underWay, ...times(9, found("PROCESSING")), cancelled],
    outcome: "cancelled",
    sent: ["pay", ...asked(9), ...cancels(1)],
  },
  {
    name: "an inquiry that is refused leads to the cancel at once",
    settle: byCode,
    replies: [underWay, said("F", "ACCESS_DENIED"), cancelled],
    outcome: "cancelled",
    sent: ["pay", ...asked(1), ...cancels(1)],
  },
  {
    name: "without any line it is unknown, after six cancels",
    settle: byCode,
    replies: times(16, silence),
    outcome: "unknown",
    sent: ["pay", ...asked(9), ...cancels(6)],
  },
  {
    name: "a cancel that is refused because it is paid for good",
    settle: cancelSafely,
    replies: [said("F", "CANCEL_WINDOW_EXCEED"), found("SUCCESS")],
    outcome: "paid",
    sent: [...cancels(1), ...asked(1)],
  },
  {
    name: "a cancel that is refused because the wallet has declined",
    settle: cancelSafely,
    replies: [silence, said("F", "ORDER_STATUS_INVALID"), found("FAIL")],
    outcome: "declined",
    sent: [...cancels(2), ...asked(1)],
  },
  {
    name: "too many calls at once are no word about the payment",
    settle: cancelSafely,
    replies: [said("F", "REQUEST_TRAFFIC_EXCEED_LIMIT"), cancelled],
    outcome: "cancelled",
    sent: cancels(2),
  },
  {
    name: "paid is not paid while a cancel gives it back",
    settle: checkAgain,
    replies: times(
      3,
      found("SUCCESS", { transactions: [{ transactionType: "CANCEL", transactionStatus: "PROCESSING" }] }),
    ),
    outcome: "unknown",
    sent: asked(3),
  },
  {
    name: "checked again, it is found",
    settle: (settling) => checkAgain({ ...settling, cancelSentAtMs: Date.now() }),
    replies: [silence, found("SUCCESS")],
    outcome: "paid",
    sent: asked(2),
  },
  {
    name: "a till that was killed finds what it had sent",
    settle: (settling) => goOn(settling, 0),
    replies: [found("SUCCESS")],
    outcome: "paid",
    sent: asked(1),
  },
  {
    name: "a code is shown, and paid",
    settle: byShowing,
    replies: [shown, found("PROCESSING"), found("SUCCESS")],
    outcome: "paid",
    sent: ["pay", ...asked(2)],
  },
  {
    name: "the identical call brings the code that was lost",
    settle: byShowing,
    replies: [silence, underWay, shown, found("SUCCESS")],
    outcome: "paid",
    sent: ["pay", "pay", "pay", ...asked(1)],
  },
  {
    name: "three calls without a code are cancelled",
    settle: byShowing,
    replies: [...times(3, silence), cancelled],
    outcome: "cancelled",
    sent: ["pay", "pay", "pay", "cancel"],
  },
  {
    name: "a refusal of the repeated call is no word about the first",
    settle: byShowing,
    replies: [silence, said("F", "PROCESS_FAIL"), cancelled],
    outcome: "cancelled",
    sent: ["pay", "pay", "cancel"],
  },
];

for (const { name, settle, replies, outcome, sent } of scripts)
  test(name, async () => {
    const played = await play(settle, { replies });
    assert.deepEqual({ outcome: played.settled.outcome, sent: played.sent }, { outcome, sent });
    assert.equal(played.cancelsNoted, sent.filter((each) => each === "cancel").length);
  });

test("a repeated request has the same bytes", async () => {
  const { bodies } = await play(byShowing, { replies: [...times(3, silence), cancelled] });
  assert.equal(new Set(bodies.slice(0, 3)).size, 1);
});

test("while a cancel without a response may be in flight, paid is not final", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const refused = [said("F", "PROCESS_FAIL"), found("SUCCESS")];
  const replies = [silence, ...refused, ...refused, ...refused, ...refused, ...refused];
  const { settled } = await play((settling) => cancelSafely({ ...settling, pace: 0.001 }), { replies });
  assert.equal(settled.outcome, "unknown");
});

test("a webhook ends the sale, and no request follows", async () => {
  const told = Promise.resolve({ outcome: "paid", paymentId: "p-1" } as const);
  const { settled, sent } = await play(byCode, { replies: [silence], told });
  assert.equal(settled.outcome, "paid");
  assert.ok(sent.length <= 1, sent.join());
});

test("a cashier's cancel does not wait for pending inquiries", async () => {
  const { settled, sent } = await play(byCode, { replies: [cancelled], cancelAsked: AbortSignal.abort() });
  assert.equal(settled.outcome, "cancelled");
  assert.deepEqual(sent, ["cancel"]);
});

test("a response without a valid signature is ignored", async () => {
  const otherKey = await testKeys();
  const forged = fakeGateway([said("F", "PROCESS_FAIL")], otherKey.privateKey);
  const honest = fakeGateway([found("SUCCESS")], keys.privateKey);
  let calls = 0;
  const client = new Tollgate({
    clientId: "SANDBOX_TILL",
    privateKey: otherKey.privateKey,
    gatewayPublicKeys: keys.publicKey,
    baseUrl: "https://gateway.example",
    transport: (request) => ((calls += 1) === 1 ? forged : honest).transport(request),
    allowUnsignedRefusals: false,
  });
  const settled = await byCode({
    payments: client.payments,
    paymentRequestId: wanted.id,
    cancelAsked: new AbortController().signal,
    told: new Promise(() => undefined),
    onProgress: () => undefined,
    cancelSentAtMs: undefined,
    onCancel: () => undefined,
    pace: 0,
  });
  assert.equal(settled.outcome, "paid");
});
