/**
 * `divideHalfEven` divides and rounds to the nearest integer; halves go to the even one (banker's rounding). The
 * numerator must not be negative.
 */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const [whole, rest] = [numerator / denominator, numerator % denominator];
  const isUp = rest * 2n > denominator || (rest * 2n === denominator && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}
