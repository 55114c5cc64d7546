import { createInterface } from "node:readline";
import { setTimeout as waitMs } from "node:timers/promises";
import { newCaller } from "../trial/caller.ts";
import { newHistory } from "../oracle/history.ts";
import type { Merchant } from "../installation/installation.ts";

/*
 * A merchant's client in a region. It cancels unknown orders, each of which leaves a payment, and prints each response as one line.
 * It repeats requests with an unknown outcome, and stops when its input ends.
 */
export interface ClientOptions {
  readonly merchant: Merchant;
  readonly name: string;
  readonly edgePort: number;
  readonly privateKey: string;
  readonly gatewayPublicKey: string;
}

/** The response to one call. */
export interface ClientResponse {
  readonly requestId: string;
  readonly sentAt: number;
  readonly tookMs: number;
  /** The HTTP status; absent if there was no response. */
  readonly httpStatus?: number;
  readonly resultStatus?: string;
  readonly resultCode?: string;
  readonly isSigned?: boolean;
}

const gapMs = 100;
const options = JSON.parse(process.argv[2] ?? "{}") as ClientOptions;
const { merchant, name, edgePort: port } = options;
const caller = newCaller({
  ...options,
  history: newHistory(),
  isLive: false,
  nowMs: () => performance.now(),
});
let isActive = true;
createInterface(process.stdin).on("close", () => (isActive = false));
process.stdout.write("The shop is open.\n");

for (let number = 1; isActive; number += 1) {
  const requestId = `${name}-${number}`;
  for (let isKnown = false; !isKnown; await waitMs(gapMs)) {
    const [sentAt, fromMs] = [Date.now(), performance.now()];
    const body = { paymentRequestId: requestId };
    const answer = await caller.call({ verb: "cancel", merchant, requestId, body, port });
    const tookMs = performance.now() - fromMs;
    const { httpStatus, resultStatus, resultCode, isSigned } = answer ?? {};
    const response = { requestId, sentAt, tookMs, httpStatus, resultStatus, resultCode, isSigned };
    process.stdout.write(`${JSON.stringify(response)}\n`);
    isKnown = resultStatus === "S" || !isActive;
  }
}
caller.close();
