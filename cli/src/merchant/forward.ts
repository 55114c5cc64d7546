import {
  isAcknowledgingAnswer,
  explainMissingAcknowledgement,
} from "../../../server/src/notifications/delivery-attempt.ts";
import type { StreamedEvent } from "./event-stream.ts";

/** The result of a forwarded event, judged as the gateway would. */
export interface ForwardResult {
  /** The HTTP status of the response; zero if there was no response. */
  readonly httpStatus: number;
  readonly isAcknowledged: boolean;
  /** Why it was not acknowledged. */
  readonly failure?: string;
  readonly ms: number;
}

/** The gateway's own timeout for a response. */
const answerTimeoutMs = 10_000;

/** Posts an event like the gateway: the same bytes and headers, one attempt, and no redirects. */
export async function forwardEvent(
  event: StreamedEvent,
  clientId: string,
  url: string,
): Promise<ForwardResult> {
  const startedAtMs = performance.now();
  const result = await post(event, clientId, url).catch((error: unknown) => ({
    httpStatus: 0,
    isAcknowledged: false,
    failure: describeNoAnswer(error),
  }));
  return { ...result, ms: Math.round(performance.now() - startedAtMs) };
}

async function post(event: StreamedEvent, clientId: string, url: string): Promise<Omit<ForwardResult, "ms">> {
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
    signal: AbortSignal.timeout(answerTimeoutMs),
  });
  const { status: httpStatus } = response;
  const answer = await response.text();
  if (isAcknowledgingAnswer(httpStatus, answer)) return { httpStatus, isAcknowledged: true };
  return { httpStatus, isAcknowledged: false, failure: explainMissingAcknowledgement(httpStatus, answer) };
}

function describeNoAnswer(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "no response within ten seconds";
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "no server listens there",
    ENOTFOUND: "the host does not exist",
    ECONNRESET: "the connection was closed without a response",
  };
  return reasons[code ?? ""] ?? `no answer (${message})`;
}
