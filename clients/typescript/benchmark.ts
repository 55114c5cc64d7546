import { execFile, fork } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { Tollgate } from "./src/tollgate.ts";

/**
 * Measures the share of the library in the duration of a call: inquiries through the library against the same
 * bytes through plain `fetch`. The server is a separate process that always sends the same signed bytes. It
 * also measures the time from process start to the first response.
 */
const path = "/ams/sandbox/api/v1/payments/inquiryPayment";
const clientId = "SANDBOX_BENCH";
const rounds = 3;
const secondsEach = 2;
const [what, ...given] = process.argv.slice(2);

if (what === "serve") serve(given[0] ?? "");
else if (what === "first") await first();
else await measure();

async function measure(): Promise<void> {
  const [merchant, gateway] = [keyPair(), keyPair()];
  const handler = fork(import.meta.filename, ["serve", gateway.privateKey]);
  const [port] = (await once(handler, "message")) as [number];
  const variables = {
    TOLLGATE_CLIENT_ID: clientId,
    TOLLGATE_BASE_URL: `http://127.0.0.1:${port}`,
    TOLLGATE_PRIVATE_KEY: merchant.privateKey,
    TOLLGATE_GATEWAY_PUBLIC_KEY: gateway.publicKey,
  };
  Object.assign(process.env, variables);
  const client = new Tollgate({});
  const body = JSON.stringify({ paymentId: "1" });
  const bare = async (): Promise<unknown> =>
    (await fetch(variables.TOLLGATE_BASE_URL + path, { method: "POST", body })).json();
  const ours = (): Promise<unknown> => client.payments.inquiryPayment({ paymentId: "1" });
  const rates = { bare: [] as number[], ours: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    rates.bare.push(await rate(bare));
    rates.ours.push(await rate(ours));
  }
  say(`bare fetch        ${median(rates.bare)} requests/s`);
  say(`@tollgate/client  ${median(rates.ours)} requests/s`);
  say(
    `RSA 2048          ${await rate(async () => void sign("sha256", Buffer.from(body), merchant.privateKey))} signatures/s`,
  );
  const startedAtMs = performance.now();
  await promisify(execFile)(process.execPath, [import.meta.filename, "first"]);
  say(`first answer      ${Math.round(performance.now() - startedAtMs)} ms after a new process was started`);
  handler.kill();
}

async function first(): Promise<void> {
  await new Tollgate({}).payments.inquiryPayment({ paymentId: "1" });
}

function serve(privateKey: string): void {
  const result = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." };
  const text = JSON.stringify({ result, paymentId: "1", paymentStatus: "SUCCESS" });
  const time = "2026-11-15T12:00:00+00:00";
  const signed = Buffer.from(`POST ${path}\n${clientId}.${time}.${text}`);
  const value = sign("sha256", signed, privateKey).toString("base64");
  const signature = `algorithm=RSA256,keyVersion=1,signature=${encodeURIComponent(value)}`;
  const headers = {
    "content-type": "application/json",
    "client-id": clientId,
    "response-time": time,
    signature,
  };
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, headers).end(text));
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

async function rate(call: () => Promise<unknown>): Promise<number> {
  await call();
  const startedAtMs = performance.now();
  let calls = 0;
  while (performance.now() - startedAtMs < secondsEach * 1_000) {
    await call();
    calls += 1;
  }
  return Math.round((calls / (performance.now() - startedAtMs)) * 1_000);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function keyPair(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
