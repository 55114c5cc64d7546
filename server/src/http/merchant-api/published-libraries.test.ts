import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  isResponseSigned,
  newMerchant,
  startTestGateway,
  type ReceivedAnswer,
} from "../../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../../test/shop/test-payment.ts";

/** One form in which a published library writes an inquiry. clients/conformance/README.md explains the fields. */
interface RequestForm {
  readonly id: string;
  readonly sdk: string;
  readonly target: "origin" | "absolute";
  readonly path: string;
  readonly time: keyof typeof timeForms;
  readonly hex: "upper" | "lower";
  readonly separator: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const timeForms = {
  milliseconds: (now: Date) => String(now.getTime()),
  "offset-with-colon": (now: Date) => `${toSeconds(now)}+00:00`,
  "offset-without-colon": (now: Date) => `${toSeconds(now)}+0000`,
  "eight-hours-east-without-colon": (now: Date) =>
    `${toSeconds(new Date(now.getTime() + 8 * 3_600_000))}+0800`,
  "seven-decimals": (now: Date) => now.toISOString().replace("Z", "1234Z"),
};

const { payment, requests } = JSON.parse(
  readFileSync(new URL("../../../../clients/conformance/requests.json", import.meta.url), "utf8"),
) as { readonly payment: { readonly paymentRequestId: string }; readonly requests: readonly RequestForm[] };

const gateway = await startTestGateway("sandbox");
const merchant = await newMerchant(gateway.database);
const { paymentId } = await insertTestPayment(gateway.database, merchant.clientId);
await asSuperuser(
  "update payments set payment_request_id = $1 where payment_id = $2",
  [payment.paymentRequestId, paymentId],
  gateway.database.superuserUrl,
);

test("the list has every published library and every difference between them", () => {
  assert.deepEqual(valuesOf("sdk"), ["dotnet", "go", "java", "php", "python"]);
  assert.deepEqual(valuesOf("target"), ["absolute", "origin"]);
  assert.deepEqual(valuesOf("time"), Object.keys(timeForms).sort());
  assert.deepEqual(valuesOf("hex"), ["lower", "upper"]);
  assert.deepEqual(valuesOf("separator"), [":", ": "]);
});

for (const form of requests) {
  test(`an inquiry in the form of a published library succeeds: ${form.id}`, async () => {
    const answer = await sendForm(form, form.body);

    assert.deepEqual(answer.json.result, {
      resultCode: "SUCCESS",
      resultStatus: "S",
      resultMessage: "success.",
    });
    assert.equal(answer.json["paymentId"], paymentId);
    assert.equal(answer.json["paymentRequestId"], payment.paymentRequestId);
    assert.ok(isResponseSigned(answer, form.path, merchant.gatewayPublicKey));
  });

  test(`its signature covers every byte, also insignificant ones: ${form.id}`, async () => {
    const answer = await sendForm(form, `${form.body} `);

    assert.equal(answer.json.result["resultCode"], "INVALID_SIGNATURE");
  });
}

test("every published library finds the signature of a response", async () => {
  const [form] = requests;
  assert.ok(form);
  const { rawHeaders, headers } = await sendForm(form, form.body);

  // One client library compares header names case-sensitively, and another searches every line for these words. So only
  // these three headers may contain them.
  const naming = rawHeaders.filter((line) => /signature|response-time|client-id/i.test(line));
  const names = naming.map((line) => line.slice(0, line.indexOf(":")));
  assert.deepEqual(names.sort(), ["client-id", "response-time", "signature"]);
  // One client library reads the third parameter, others read the text after the last `=`. All of them turn `+` into a
  // space, so the signature is percent-encoded.
  assert.match(
    headers["signature"] ?? "",
    /^algorithm=RSA256,keyVersion=1,signature=(?:[A-Za-z0-9]|%2B|%2F|%3D)+$/,
  );
});

function valuesOf(name: "sdk" | "target" | "time" | "hex" | "separator"): string[] {
  return [...new Set(requests.map((form) => form[name]))].sort();
}

/** Signs the form's own body, but sends `body`. */
async function sendForm(form: RequestForm, body: string): Promise<ReceivedAnswer> {
  const { host } = new URL(gateway.url);
  const time = timeForms[form.time](new Date());
  const values: Readonly<Record<string, string>> = {
    host,
    time,
    clientId: merchant.clientId,
    length: String(Buffer.byteLength(body)),
    signature: signatureOf(form, time),
  };
  const headers = form.headers.map(([name, value]) => {
    const filled = value.replaceAll(/\{(\w+)\}/g, (_, placeholder: string) => values[placeholder] ?? "");
    return `${name}${form.separator}${filled}\r\n`;
  });
  const target = form.target === "absolute" ? `https://${host}${form.path}` : form.path;
  return exchange(`POST ${target} HTTP/1.1\r\n${headers.join("")}\r\n${body}`);
}

function signatureOf(form: RequestForm, time: string): string {
  const text = `POST ${form.path}\n${merchant.clientId}.${time}.${form.body}`;
  const encoded = encodeURIComponent(
    sign("sha256", Buffer.from(text), merchant.privateKey).toString("base64"),
  );
  if (form.hex === "upper") return encoded;
  return encoded.replaceAll(/%../g, (sequence) => sequence.toLowerCase());
}

/** Sends exactly these bytes: an HTTP client would correct the forms under test. */
function exchange(request: string): Promise<ReceivedAnswer> {
  const { hostname, port } = new URL(gateway.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`No whole answer: ${received.toString()}`)));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const answer = wholeAnswer(received);
      if (!answer) return;
      resolve(answer);
      socket.destroy();
    });
    socket.write(request);
  });
}

function wholeAnswer(received: Buffer): ReceivedAnswer | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [statusLine = "", ...rawHeaders] = received.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    rawHeaders.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
  );
  const body = received.subarray(headEnd + 4);
  if (body.length < Number(headers["content-length"])) return undefined;
  const text = body.toString("utf8");
  const json = JSON.parse(text) as ReceivedAnswer["json"];
  return { status: Number(statusLine.split(" ")[1]), headers, rawHeaders, text, json };
}

function toSeconds(time: Date): string {
  return time.toISOString().slice(0, 19);
}
