import { acknowledges, whyNotAcknowledged } from "../../../server/src/notifications/attempt.ts";
import type { StreamedEvent } from "./event-stream.ts";

/** What became of an event that was passed on, in the gateway's own judgement. */
export interface Forwarded {
  /** Zero when there was no answer. */
  readonly httpStatus: number;
  readonly isAcknowledged: boolean;
  /** Why it was not taken as acknowledged. */
  readonly failure?: string;
  readonly ms: number;
}

/** As long as the gateway waits for an answer. */
const answerMs = 10_000;

/** Posts an event as the gateway would: the same bytes, the same headers, one attempt, no redirect followed. */
export async function forward(event: StreamedEvent, clientId: string, url: string): Promise<Forwarded> {
  const startedAtMs = performance.now();
  const ended = await post(event, clientId, url).catch((error: unknown) => ({
    httpStatus: 0,
    isAcknowledged: false,
    failure: whyNoAnswer(error),
  }));
  return { ...ended, ms: Math.round(performance.now() - startedAtMs) };
}

async function post(event: StreamedEvent, clientId: string, url: string): Promise<Omit<Forwarded, "ms">> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=UTF-8",
      "client-id": clientId,
      "request-time": event.requestTime,
      signature: event.signature,
    },
    body: event.body,
    redirect: "manual",
    signal: AbortSignal.timeout(answerMs),
  });
  const { status: httpStatus } = response;
  const answer = await response.text();
  if (acknowledges(httpStatus, answer)) return { httpStatus, isAcknowledged: true };
  return { httpStatus, isAcknowledged: false, failure: whyNotAcknowledged(httpStatus, answer) };
}

function whyNoAnswer(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "no answer within ten seconds";
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nobody listens there",
    ENOTFOUND: "there is no such host",
    ECONNRESET: "the connection was closed without an answer",
  };
  return reasons[code ?? ""] ?? `no answer (${message})`;
}
