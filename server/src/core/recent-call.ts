/** A recent API request, visible to the sandbox client's developers at once. Secrets are masked before. */
export interface RecentCall {
  readonly at: Date;
  readonly requestId: string;
  readonly path: string;
  /** The version in the header; authenticated only if the request is. */
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
  /** The hash of the whole signed text; undefined if the body could not be read, or may contain card data. */
  readonly signedSha256: string | undefined;
  /** Masked JSON; empty if the body could not be read. */
  readonly requestBody: string;
  readonly answerBody: string;
  /** The result of the signature diagnosis. */
  readonly verdict: string | undefined;
}
