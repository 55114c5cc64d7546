import type { Answer } from "./call.ts";
import type { Clock } from "./clock.ts";

/** A call that begins. */
export interface ObservedCall {
  /** `payments/pay`. */
  readonly operation: string;
  /** Your own id of the request, such as its `paymentRequestId`. */
  readonly requestId: string | undefined;
  /** Where it goes, without the path. */
  readonly baseUrl: string;
}

/** How a call has ended, with all of its attempts. */
export interface ObservedEnd {
  /** The result code, or the name of the error: `SUCCESS`, `TimeoutError`. */
  readonly outcome: string;
  readonly durationMs: number;
  readonly attempts: number;
  /** The gateway's name for the call. */
  readonly traceId: string | undefined;
  /** What was thrown, if anything was. */
  readonly error: unknown;
}

/**
 * Is told when a call begins, and gives what is told how it has ended: a span of OpenTelemetry, or a timer of your
 * metrics. What it throws is dropped.
 */
export type Observer = (call: ObservedCall) => ((end: ObservedEnd) => void) | undefined;

/** A call with an observer beside it. Without one it is the call. */
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

/** Who looks on must not make a payment fail. */
function safely<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
