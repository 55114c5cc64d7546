/** A call as a developer sees it right away, in the sandbox. Secrets are masked before it gets here. */
export interface RecentCall {
  readonly at: Date;
  readonly requestId: string;
  readonly path: string;
  /** As the header names it; proven only if the call is. */
  readonly keyVersion: number;
  readonly resultCode: string;
  readonly durationUs: number;
  /** Whether the signature held. Anybody can send what is not proven, in any merchant's name. */
  readonly isProven: boolean;
  /** The network that it came from. */
  readonly network: string;
  /** What comes before the body in the signed text. */
  readonly signedHead: string;
  readonly signedBytes: number;
  /** The hash of the whole signed text; undefined when the body could not be read, or may hold card data. */
  readonly signedSha256: string | undefined;
  /** Masked JSON; empty when the body could not be read. */
  readonly requestBody: string;
  readonly answerBody: string;
  /** What the signature doctor found. */
  readonly verdict: string | undefined;
}
