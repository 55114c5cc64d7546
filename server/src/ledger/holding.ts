/** A merchant's balance in one currency, in minor units. */
export interface Holding {
  readonly currency: string;
  readonly owedMinor: bigint;
  readonly openRefundsMinor: bigint;
  readonly frozenMinor: bigint;
  readonly keptBackMinor: bigint;
  readonly inTransitMinor: bigint;
}
