import { randomUUID } from "node:crypto";
import { setTimeout as rest } from "node:timers/promises";
import { signatureFor } from "../clients/typescript/src/signing.ts";
import type { Installation } from "./installation.ts";
import type { Latency } from "./measured-gateway.ts";

/** Refunds parts of payments that the gateway has made, at this rate; returns the latencies. */
export async function sendRefunds(at: Installation, perSecond: number, seconds: number): Promise<Latency> {
  const count = perSecond * seconds;
  const payments = await at.query<{ clientId: string; paymentId: string }>(`
    select client_id as "clientId", payment_id as "paymentId" from payments
    where payment_request_id like 'bench-%' and status = 'SUCCESS' order by random() limit ${count}`);
  const latencies = payments.map(async ({ clientId, paymentId }, index) => {
    await rest((index / perSecond) * 1_000);
    const refundAmount = { currency: "EUR", value: "10" };
    return sendSigned(at, "/ams/sandbox/api/v1/payments/refund", {
      clientId,
      body: { paymentId, refundRequestId: `bench-${randomUUID()}`, refundAmount },
    });
  });
  const times = (await Promise.all(latencies)).toSorted((a, b) => a - b);
  const quantile = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

/** Signs and sends one request; returns its latency in ms. A failed response is thrown. */
export async function sendSigned(
  { serveUrl, privateKey }: Installation,
  path: string,
  { clientId, body }: { readonly clientId: string; readonly body: object },
): Promise<number> {
  const [time, text] = [String(Date.now()), JSON.stringify(body)];
  const headers = {
    "content-type": "application/json; charset=UTF-8",
    "client-id": clientId,
    "request-time": time,
    signature: signatureFor({ path, clientId, time, body: text }, privateKey, 1),
  };
  const beganMs = performance.now();
  const response = await fetch(`${serveUrl}${path}`, { method: "POST", headers, body: text });
  const answer = await response.text();
  const tookMs = performance.now() - beganMs;
  if (/"resultStatus":"F"/.test(answer)) throw new Error(`${path}: ${answer}`);
  return tookMs;
}
