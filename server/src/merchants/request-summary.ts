/** An API request as its merchant may see it: without bodies, which the database role of `serve` cannot read. */
export interface RequestSummary {
  readonly at: Date;
  readonly requestId: string;
  readonly keyVersion: number;
  readonly path: string;
  readonly resultCode: string;
  readonly durationUs: number;
}
