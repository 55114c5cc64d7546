/**
 * A recent API request, which the sandbox client's developers see at once. Its secrets are masked before it is kept.
 */
export interface RecentCall {
  readonly at: Date;
  readonly requestId: string;
  readonly path: string;
  /** The key version in the request's header; authenticated only if the request is. */
  readonly keyVersion: number;
  readonly resultCode: string;
  readonly durationUs: number;
  /** Whether the signature is valid. Unauthenticated requests can be sent in any merchant's name. */
  readonly isProven: boolean;
  /** The network of the caller. */
  readonly network: string;
  /** The part of the signed text before the body. */
  readonly signedHead: string;
  readonly signedBytes: number;
  /**
   * The hash of the whole signed text; undefined if the gateway could not read the body, or the body may contain card
   * data.
   */
  readonly signedSha256: string | undefined;
  /** The request's body as masked JSON; empty if the gateway could not read the body. */
  readonly requestBody: string;
  readonly answerBody: string;
  /** The result of the signature diagnosis. */
  readonly verdict: string | undefined;
}
