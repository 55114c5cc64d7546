/** Rounded to the nearest, and from the middle to the even (banker's rounding). Of what is not below zero. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const [whole, rest] = [numerator / denominator, numerator % denominator];
  const isUp = rest * 2n > denominator || (rest * 2n === denominator && whole % 2n === 1n);
  return isUp ? whole + 1n : whole;
}
