/** A call as its merchant may see it again: without the bodies, which the serving role cannot read. */
export interface RememberedRequest {
  readonly at: Date;
  readonly requestId: string;
  readonly keyVersion: number;
  readonly path: string;
  readonly resultCode: string;
  readonly durationUs: number;
}
