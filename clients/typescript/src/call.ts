import type { Result } from "./generated/models.ts";

/** What the library has to know of an operation. */
export interface OperationFacts {
  /** Whether the same body may be sent again when nobody knows what became of it. */
  readonly isRepeatable: boolean;
  readonly idempotencyField?: string;
}

/** What a single call may be told. What is left out is as the client was told. */
export interface CallOptions {
  /** For each attempt. */
  readonly timeoutMs?: number | undefined;
  /** For all attempts and the pauses between them; without it the retries decide how long a call may take. */
  readonly deadlineMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** When it aborts, the call rejects with its reason. What was sent may have had an effect. */
  readonly signal?: AbortSignal | undefined;
  /** `false`: a refusal is returned like any other answer instead of being thrown. */
  readonly throwOnFailure?: boolean | undefined;
}

/** An answer whose signature holds. What is beside the fields of the interface is not written to JSON. */
export type Answer<Body> = Body & {
  readonly result: Result;
  /** `S`: it happened. */
  readonly isSuccess: boolean;
  /** `U`: nobody knows yet. Wait for the notification, or inquire. */
  readonly isPending: boolean;
  /** `F`: it did not happen. Only with `throwOnFailure: false`. */
  readonly isFailure: boolean;
  /** The gateway's name for the call: tell it to support. */
  readonly traceId: string | undefined;
  readonly attempts: number;
};

export type Call = <Body>(operation: string, request: object, options?: CallOptions) => Promise<Answer<Body>>;
