import type { Answer } from "./call.ts";
import type { Clock } from "./clock.ts";

/** A call that starts. */
export interface ObservedCall {
  /** `payments/pay`. */
  readonly operation: string;
  /** Your own id of the request, such as its `paymentRequestId`. */
  readonly requestId: string | undefined;
  /** The gateway's base URL, without the path. */
  readonly baseUrl: string;
}

/** The end of a call, with all of its attempts. */
export interface ObservedEnd {
  /** The result code, or the name of the error: `SUCCESS`, `TimeoutError`. */
  readonly outcome: string;
  readonly durationMs: number;
  readonly attempts: number;
  /** The gateway's id of the request. */
  readonly traceId: string | undefined;
  /** The error that the call threw, if any. */
  readonly error: unknown;
}

/**
 * Called when a call starts; returns a function that is called when the call ends. Use it for an
 * OpenTelemetry span or for metrics. Errors of an observer are ignored.
 */
export type Observer = (call: ObservedCall) => ((end: ObservedEnd) => void) | undefined;

/** Makes a call and reports it to the observer, if there is one. */
export async function observed<Body>(
  { observer, clock }: { readonly observer: Observer | undefined; readonly clock: Clock },
  about: ObservedCall,
  call: () => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  if (!observer) return call();
  const startedAtMs = clock.now();
  const tell = safely(() => observer(about));
  const end = (told: Omit<ObservedEnd, "durationMs">): unknown =>
    safely(() => tell?.({ ...told, durationMs: clock.now() - startedAtMs }));
  try {
    const answer = await call();
    const { attempts, traceId, result } = answer;
    end({ outcome: result.resultCode, attempts, traceId, error: undefined });
    return answer;
  } catch (error) {
    const { name = "Error", code, attempts = 0, traceId } = error as Partial<Thrown>;
    end({ outcome: code ?? name, attempts, traceId, error });
    throw error;
  }
}

interface Thrown {
  readonly name: string;
  readonly code: string;
  readonly attempts: number;
  readonly traceId: string;
}

/** An observer that throws must not make a payment fail. */
function safely<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
