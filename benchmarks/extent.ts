/** Size of a measurement. */
export interface Extent {
  readonly rounds: number;
  readonly warmUpMs: number;
  /** Duration of the inquiries in each round, in milliseconds. */
  readonly inquiryMs: number;
  /** Number of payments in each round. The warm-up makes the same number before. */
  readonly payments: number;
  /**
   * Number of payments of the limit program in each round. It is higher than the gateway's, because each payment takes
   * less time.
   */
  readonly limitPayments: number;
  /** Duration of the open loop in each round, in seconds. */
  readonly latencySeconds: number;
  /** Number of payments whose statements are counted. */
  readonly counted: number;
}

export const full: Extent = {
  rounds: 5,
  warmUpMs: 8_000,
  inquiryMs: 5_000,
  payments: 2_000,
  limitPayments: 8_000,
  latencySeconds: 8,
  counted: 1_000,
};

export const smoke: Extent = {
  rounds: 2,
  warmUpMs: 1_000,
  inquiryMs: 1_000,
  payments: 200,
  limitPayments: 800,
  latencySeconds: 2,
  counted: 200,
};
