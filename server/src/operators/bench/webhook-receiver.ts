import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { quantile, pause } from "./open-loop.ts";
import type { Latency } from "./bench-step.ts";

/** The merchants' webhook endpoint. It measures the time from the buyer's approval to the webhook. */
export interface WebhookReceiver {
  readonly url: string;
  recordApproval(paymentId: string): void;
  /** Whether a payment was approved, or a webhook received, since the last call of `result`. */
  isBusy(): boolean;
  /**
   * Returns the latencies and resets the receiver. It waits for missing webhooks with a timeout. Missing webhooks count
   * as refused.
   */
  result(): Promise<Latency>;
  close(): void;
}

const acknowledgement = JSON.stringify({
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" },
});
const missingTimeoutMs = 5_000;

export async function startReceiver(): Promise<WebhookReceiver> {
  const approvedAtMs = new Map<string, number>();
  /** Webhooks that arrived before the response to the approval that caused them. */
  const earlyWebhooks = new Set<string>();
  let tookMs: number[] = [];

  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => void (body += text));
    request.on("end", () => {
      response.setHeader("content-type", "application/json").end(acknowledgement);
      const [, paymentId = ""] = /"paymentId":"(\d+)"/.exec(body) ?? [];
      const approvedMs = approvedAtMs.get(paymentId);
      if (approvedMs === undefined) return void earlyWebhooks.add(paymentId);
      approvedAtMs.delete(paymentId);
      tookMs.push(performance.now() - approvedMs);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`,
    recordApproval(paymentId) {
      if (earlyWebhooks.delete(paymentId)) tookMs.push(0);
      else approvedAtMs.set(paymentId, performance.now());
    },
    isBusy: () => approvedAtMs.size + earlyWebhooks.size + tookMs.length > 0,
    async result() {
      const deadlineMs = performance.now() + missingTimeoutMs;
      while (approvedAtMs.size > 0 && performance.now() < deadlineMs) await pause(10);
      const sorted = tookMs.toSorted((left, right) => left - right);
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
