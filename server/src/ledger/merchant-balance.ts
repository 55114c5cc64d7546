/** A merchant's balance in one currency, in minor units. */
export interface MerchantBalance {
  readonly currency: string;
  readonly owedMinor: bigint;
  readonly openRefundsMinor: bigint;
  readonly frozenMinor: bigint;
  readonly reserveMinor: bigint;
  readonly inTransitMinor: bigint;
}
