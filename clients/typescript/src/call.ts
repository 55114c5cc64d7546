import type { Result } from "./generated/models.ts";

/** The facts that the library needs about an operation. */
export interface OperationFacts {
  /** Whether the library may retry the request when its outcome is unknown. */
  readonly isRepeatable: boolean;
  readonly idempotencyField?: string;
}

/** Options of a single call. The defaults are the client's settings. */
export interface CallOptions {
  /** For each attempt. */
  readonly timeoutMs?: number | undefined;
  /**
   * The time limit for all attempts and the pauses between them. If it is not set, the number of retries
   * limits the duration.
   */
  readonly deadlineMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * When the signal aborts, the call rejects with its reason. A request that was sent may have taken effect.
   */
  readonly signal?: AbortSignal | undefined;
  /** If `false`, a rejection (`F`) is returned like any other response instead of thrown. */
  readonly throwOnFailure?: boolean | undefined;
}

/** A response with a valid signature. The properties that the library adds are not written to JSON. */
export type Answer<Body> = Body & {
  readonly result: Result;
  /** `S`: success. */
  readonly isSuccess: boolean;
  /** `U`: the outcome is unknown. Wait for the webhook, or inquire. */
  readonly isPending: boolean;
  /** `F`: final failure. It can be true only with `throwOnFailure: false`. */
  readonly isFailure: boolean;
  /** The gateway's id of the request. Give it to support. */
  readonly traceId: string | undefined;
  readonly attempts: number;
};

export type Call = <Body>(operation: string, request: object, options?: CallOptions) => Promise<Answer<Body>>;
