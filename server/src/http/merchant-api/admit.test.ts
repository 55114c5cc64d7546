import assert from "node:assert/strict";
import { createPublicKey, sign, type KeyObject } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { operations } from "../../catalog/operations.ts";
import type { Operation } from "../../contract/operation.ts";
import { addGatewayKey } from "../../operators/providers/manage-gateway-keys.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { requestValidationCodes, results, type ResultCode } from "../../core/result.ts";
import { inquirePayment } from "../../payments/inquire-payment.ts";
import { parseResponses, exchangeBytes, openSocket, rawRequest } from "../../../test/http/raw-http.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  isResponseSigned,
  newKeyPair,
  newMerchant,
  pathOf,
  prepareTestGateway,
  type ReceivedAnswer,
  type TestMerchant,
} from "../../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../../test/shop/test-payment.ts";
import { bodyBytesMax, headersMax } from "./admit.ts";
import { stallMaxMs } from "../limits/overload-guard.ts";

// An operation that in-store payments do not use. The sandbox rejects it on the path for in-store payments.
const onlineOnly = "tollgate/onlineOnly";
(operations as Operation[]).push({ ...inquirePayment, path: onlineOnly, inStore: false } as never);

// Merchants are pinned to the gateway's first key; then the gateway gets a second one.
const prepared = await prepareTestGateway("sandbox");
const { database } = prepared;
const merchant = await newMerchant(database, "Coffee Lab");
const suspended = await newMerchant(database, "Closed Lab");
const busy = await newMerchant(database, "Busy Lab");
await addGatewayKey(database.ownerUrl, "sandbox", prepared.variables["TOLLGATE_KEY_FILE"] ?? "");
await change(suspended, "status = 'SUSPENDED'");
await change(busy, "status = 'SUSPENDED', rate_per_second = 4, rate_burst = 1");
const gatewayKeys = await publicKeysOf(database.superuserUrl);
const { paymentId } = await insertTestPayment(database, merchant.clientId);
const { url, stop } = await serve(readSettings(prepared.variables));
after(stop);

const path = pathOf("sandbox", onlineOnly);
const unknownPath = pathOf("sandbox", "payments/payTwice");
const otherKey = "SANDBOX_STRANGER";
const { privateKey: attackerKey } = await newKeyPair("forger");

/** A request before it is serialised, with one field for each check. */
interface Draft {
  /** Whether the request is sent while the event loop is overloaded. */
  readonly overloaded: boolean;
  readonly method: string;
  readonly path: string;
  readonly clientId: string;
  readonly keyVersion: number;
  readonly privateKey: KeyObject;
  readonly time: string;
  readonly body: string;
  /** Header lines that replace the usual ones; an empty list omits the header. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
}

function goodDraft(from: TestMerchant = merchant): Draft {
  const { clientId, keyVersion, privateKey } = from;
  const body = JSON.stringify({ paymentId });
  const time = String(Date.now());
  return { overloaded: false, method: "POST", path, clientId, keyVersion, privateKey, time, body, lines: {} };
}

interface Check {
  readonly name: string;
  readonly code: ResultCode;
  /** A pattern of the response, to distinguish several checks with the same code. */
  readonly detail?: RegExp;
  readonly fault: (draft: Draft) => Partial<Draft>;
  /** Puts the gateway in the state that fails the check. Returns a function that undoes the change. */
  readonly arrange?: () => Promise<() => Promise<unknown>>;
  readonly signedBy: "unsigned" | "by the newest key" | "by the client's key";
  /** The client id that the answer is addressed to. */
  readonly addressee?: string;
}

const line =
  (name: string, ...values: string[]) =>
  ({ lines }: Draft) => ({ lines: { ...lines, [name]: values } });
const manyHeaders = Object.fromEntries(Array.from({ length: headersMax }, (_, n) => [`x-${n}`, ["1"]]));
const cardNumber = "4111111111111111";

// The checks in the documented validation order. The request of each row fails its own check and every check after it.
const checks: readonly Check[] = [
  {
    name: "the process is overloaded",
    code: "REQUEST_TRAFFIC_EXCEED_LIMIT",
    fault: () => ({ overloaded: true }),
    signedBy: "unsigned",
  },
  {
    name: "there is no such operation",
    code: "NO_INTERFACE_DEF",
    fault: () => ({ path: unknownPath }),
    signedBy: "by the newest key",
  },
  {
    name: "the method is not POST",
    code: "METHOD_NOT_SUPPORTED",
    fault: () => ({ method: "PROPFIND" }),
    signedBy: "by the newest key",
  },
  {
    name: "the media type is not JSON",
    code: "MEDIA_TYPE_NOT_ACCEPTABLE",
    fault: line("content-type", "json"),
    signedBy: "by the newest key",
  },
  {
    name: "there are too many headers",
    code: "PARAM_ILLEGAL",
    detail: /^There are more than 64 headers\.$/,
    fault: ({ lines }) => ({ lines: { ...manyHeaders, ...lines } }),
    signedBy: "by the newest key",
  },
  {
    name: "a duplicate header",
    code: "PARAM_ILLEGAL",
    detail: /^The header client-id stands twice\.$/,
    fault: line("client-id", otherKey, otherKey),
    signedBy: "by the newest key",
  },
  {
    name: "the client id is missing",
    code: "PARAM_ILLEGAL",
    detail: /^The header client-id is missing\.$/,
    fault: line("client-id"),
    signedBy: "by the newest key",
  },
  {
    name: "the time is missing",
    code: "PARAM_ILLEGAL",
    detail: /^The header request-time is missing\.$/,
    fault: line("request-time"),
    signedBy: "by the newest key",
  },
  {
    name: "the client id is malformed",
    code: "PARAM_ILLEGAL",
    detail: /^The client id is malformed\.$/,
    fault: line("client-id", "SANDBOX-1"),
    signedBy: "by the newest key",
  },
  {
    name: "the signature is missing",
    code: "PARAM_ILLEGAL",
    detail: /^The header signature is missing\.$/,
    fault: line("signature"),
    signedBy: "by the newest key",
    addressee: otherKey,
  },
  {
    name: "the signature header is malformed",
    code: "PARAM_ILLEGAL",
    detail: /^The header signature has to read/,
    fault: line("signature", "keyVersion=1"),
    signedBy: "by the newest key",
    addressee: otherKey,
  },
  {
    name: "the algorithm is another",
    code: "PARAM_ILLEGAL",
    detail: /^The algorithm has to be RSA256\.$/,
    fault: line("signature", "algorithm=RSA512,keyVersion=9,signature=AAAA"),
    signedBy: "by the newest key",
    addressee: otherKey,
  },
  {
    name: "the body is too long",
    code: "PARAM_ILLEGAL",
    detail: /^The body is longer than 262144 bytes\.$/,
    fault: () => ({ body: `{"cardNo":"${cardNumber}"`.padEnd(bodyBytesMax + 1) }),
    signedBy: "by the newest key",
    addressee: otherKey,
  },
  {
    name: "the database cannot say who the client is",
    code: "UNKNOWN_EXCEPTION",
    fault: () => ({}),
    arrange: async () => {
      await asSuperuser("revoke select on clients from tollgate_app", [], database.superuserUrl);
      return () => asSuperuser("grant select on clients to tollgate_app", [], database.superuserUrl);
    },
    signedBy: "by the newest key",
    addressee: otherKey,
  },
  {
    name: "an unknown client id",
    code: "UNKNOWN_CLIENT",
    fault: () => ({ clientId: otherKey }),
    signedBy: "by the newest key",
    addressee: otherKey,
  },
  {
    name: "the client has no such key",
    code: "KEY_NOT_FOUND",
    fault: () => ({ keyVersion: 9 }),
    signedBy: "by the client's key",
    addressee: busy.clientId,
  },
  {
    name: "a signature of another client",
    code: "INVALID_SIGNATURE",
    fault: () => ({ privateKey: attackerKey }),
    signedBy: "by the client's key",
    addressee: busy.clientId,
  },
  {
    name: "the client has used up its rate",
    code: "REQUEST_TRAFFIC_EXCEED_LIMIT",
    fault: () => ({ clientId: busy.clientId, privateKey: busy.privateKey }),
    arrange: async () => {
      // Sends until one request is admitted, slowly: the gateway signs only twenty rejections per second.
      for (;;) {
        const { json } = await sendDraft(goodDraft(busy));
        if (json.result["resultCode"] !== "REQUEST_TRAFFIC_EXCEED_LIMIT") break;
        await delay(100);
      }
      return async () => undefined;
    },
    signedBy: "by the client's key",
    addressee: busy.clientId,
  },
  {
    name: "the time is too far from ours",
    code: "PARAM_ILLEGAL",
    detail: /^The request time is 60\d seconds ahead of our clock; up to 600 seconds are allowed\.$/,
    fault: () => ({ time: String(Date.now() + 605_000) }),
    signedBy: "by the client's key",
    addressee: suspended.clientId,
  },
  {
    name: "the body is not JSON",
    code: "PARAM_ILLEGAL",
    detail: /found the end of the body\.$/,
    fault: ({ body }) => ({ body: body.slice(0, -1) }),
    signedBy: "by the client's key",
    addressee: suspended.clientId,
  },
  {
    name: "the body holds card data",
    code: "PARAM_ILLEGAL",
    detail: /^Card data is not taken here/,
    fault: () => ({ body: `{"paymentId":7,"cardNo":"${cardNumber}"}` }),
    signedBy: "by the client's key",
    addressee: suspended.clientId,
  },
  {
    name: "a field is not as the operation wants it",
    code: "PARAM_ILLEGAL",
    detail: /^paymentId must be string\.$/,
    fault: () => ({ body: `{"paymentId":7}` }),
    signedBy: "by the client's key",
    addressee: suspended.clientId,
  },
  {
    name: "the client is suspended",
    code: "INVALID_CLIENT_STATUS",
    fault: () => ({ clientId: suspended.clientId, privateKey: suspended.privateKey }),
    signedBy: "by the client's key",
    addressee: suspended.clientId,
  },
  {
    name: "the operation is not for the plain path of the sandbox",
    code: "ACCESS_DENIED",
    fault: () => ({ path: `/ams/api/v1/${onlineOnly}` }),
    signedBy: "by the client's key",
    addressee: merchant.clientId,
  },
  {
    name: "the operation itself says no",
    code: "ORDER_NOT_EXIST",
    fault: () => ({ body: `{"paymentId":"20260101000000000000000000000000000"}` }),
    signedBy: "by the client's key",
    addressee: merchant.clientId,
  },
];

for (const [index, { name, code, detail, signedBy, addressee }] of checks.entries()) {
  test(`${code} is checked before all later checks: ${name}`, async (t) => {
    const { draft, rescheduleUnsent } = await faultyFrom(index);
    t.after(rescheduleUnsent);
    const answer = await sendDraft(draft);

    assert.equal(answer.status, 200);
    const { resultCode, resultStatus, resultMessage = "" } = answer.json.result;
    assert.deepEqual([resultCode, resultStatus], [code, results[code].status]);
    if (detail) assert.match(resultMessage, detail);
    assert.equal(answer.headers["client-id"], signedBy === "unsigned" ? undefined : addressee);
    assert.equal(sealOf(answer, draft), signedBy);
    const retryAfter = code === "REQUEST_TRAFFIC_EXCEED_LIMIT" ? "1" : undefined;
    assert.equal(answer.headers["retry-after"], retryAfter);
  });
}

test("the same request without faults succeeds", async () => {
  const answer = await sendDraft(goodDraft());
  assert.equal(answer.json.result["resultCode"], "SUCCESS");
  assert.equal(sealOf(answer, goodDraft()), "by the client's key");
});

test("every code of the request validation has a row, in the documented order", () => {
  const inTable = [...new Set(checks.map(({ code }) => code))];
  const faults = ["UNKNOWN_EXCEPTION", "ORDER_NOT_EXIST"];
  assert.deepEqual(
    inTable.filter((code) => !faults.includes(code)),
    requestValidationCodes.filter((code) => code !== "UNKNOWN_EXCEPTION"),
  );
  assert.ok(inTable.includes("UNKNOWN_EXCEPTION"));
});

/** A request that fails the check of this row and of all later rows, with the gateway state for these checks. */
async function faultyFrom(index: number): Promise<{ draft: Draft; rescheduleUnsent: () => Promise<void> }> {
  const restoreFunctions: (() => Promise<unknown>)[] = [];
  let draft = goodDraft();
  // The loop begins at the last row, so that the row's own fault overrides the later ones.
  for (const { fault, arrange } of checks.slice(index).toReversed()) {
    draft = { ...draft, ...fault(draft) };
    if (arrange) restoreFunctions.push(await arrange());
  }
  return {
    draft,
    rescheduleUnsent: async () => {
      for (const back of restoreFunctions) await back();
      // The gateway samples event-loop lag every 50 ms, so the test waits.
      if (draft.overloaded) await new Promise((resolve) => setTimeout(resolve, 120));
    },
  };
}

async function sendDraft(draft: Draft): Promise<ReceivedAnswer> {
  const { method, clientId, keyVersion, privateKey, time, body, overloaded } = draft;
  const text = `${method} ${draft.path}\n${clientId}.${time}.${body}`;
  const signature = encodeURIComponent(sign("sha256", Buffer.from(text), privateKey).toString("base64"));
  const lines = {
    host: ["localhost"],
    "content-length": [String(Buffer.byteLength(body))],
    "content-type": ["application/json"],
    "client-id": [clientId],
    "request-time": [time],
    signature: [`algorithm=RSA256,keyVersion=${keyVersion},signature=${signature}`],
    ...draft.lines,
  };
  const headers = Object.entries(lines).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  const bytes = rawRequest(`${method} ${draft.path} HTTP/1.1`, headers, body);
  const { answers } = await (overloaded ? exchangeDuringStall(bytes) : exchangeBytes(url, bytes));
  assert.ok(answers[0], "There was no answer.");
  return answers[0];
}

/** The gateway runs in this process, so blocking the event loop overloads it. */
async function exchangeDuringStall(bytes: Buffer): Promise<{ readonly answers: readonly ReceivedAnswer[] }> {
  const socket = await openSocket(url);
  socket.write(bytes);
  const untilMs = performance.now() + stallMaxMs + 150;
  while (performance.now() < untilMs);
  const received = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
  socket.destroy();
  return parseResponses(received);
}

/** The signer of a response, by its valid signature. */
function sealOf(answer: ReceivedAnswer, draft: Pick<Draft, "method" | "path">): string {
  const { signature, "response-time": time } = answer.headers;
  if (signature === undefined && time === undefined) return "unsigned";
  const version = Number(/^algorithm=RSA256,keyVersion=(\d+),signature=/.exec(signature ?? "")?.[1]);
  const key = gatewayKeys.get(version);
  if (!key || !isResponseSigned(answer, draft.path, key, draft.method))
    return `wrongly: ${signature} ${time}`;
  return version === 1 ? "by the client's key" : "by the newest key";
}

async function change({ clientId }: TestMerchant, set: string): Promise<void> {
  await asSuperuser(`update clients set ${set} where client_id = $1`, [clientId], database.superuserUrl);
}

async function publicKeysOf(superuserUrl: string): Promise<ReadonlyMap<number, KeyObject>> {
  const rows = await asSuperuser<{ version: number; public_key: Buffer }>(
    "select version, public_key from gateway_keys",
    [],
    superuserUrl,
  );
  return new Map(
    rows.map(({ version, public_key }) => [
      version,
      createPublicKey({ key: public_key, format: "der", type: "spki" }),
    ]),
  );
}
