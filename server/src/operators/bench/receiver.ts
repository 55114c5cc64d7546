import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { quantile, rest } from "./open-loop.ts";
import type { Latency } from "./step.ts";

/** The merchants' webhook endpoint. It measures the time from the buyer's approval to the webhook. */
export interface Receiver {
  readonly url: string;
  approved(paymentId: string): void;
  /** Whether a payment was approved, or a webhook received, since the last call of `result`. */
  isBusy(): boolean;
  /**
   * Returns the latencies and resets the receiver. It waits for missing webhooks with a timeout. Missing webhooks count
   * as refused.
   */
  result(): Promise<Latency>;
  close(): void;
}

const acknowledged = JSON.stringify({
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" },
});
const graceMs = 5_000;

export async function startReceiver(): Promise<Receiver> {
  const approvedAtMs = new Map<string, number>();
  /** Webhooks that arrived before the response to the approval that caused them. */
  const early = new Set<string>();
  let tookMs: number[] = [];

  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => void (body += text));
    request.on("end", () => {
      response.setHeader("content-type", "application/json").end(acknowledged);
      const [, paymentId = ""] = /"paymentId":"(\d+)"/.exec(body) ?? [];
      const sinceMs = approvedAtMs.get(paymentId);
      if (sinceMs === undefined) return void early.add(paymentId);
      approvedAtMs.delete(paymentId);
      tookMs.push(performance.now() - sinceMs);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`,
    approved(paymentId) {
      if (early.delete(paymentId)) tookMs.push(0);
      else approvedAtMs.set(paymentId, performance.now());
    },
    isBusy: () => approvedAtMs.size + early.size + tookMs.length > 0,
    async result() {
      const untilMs = performance.now() + graceMs;
      while (approvedAtMs.size > 0 && performance.now() < untilMs) await rest(10);
      const sorted = tookMs.toSorted((one, other) => one - other);
      const refused = approvedAtMs.size;
      tookMs = [];
      approvedAtMs.clear();
      return {
        answered: sorted.length,
        refused,
        p50Ms: quantile(sorted, 0.5),
        p99Ms: quantile(sorted, 0.99),
      };
    },
    close: () => server.close().closeAllConnections(),
  };
}
