/** Maximum length of a text to compare. Longer texts are no typing mistake, and comparing them would cost CPU. */
const lengthMax = 64;

/**
 * The candidate that was probably meant: the one with the smallest edit distance, if that distance is small for the
 * length of the text. Case and separators do not count, so `cashier-payment` is `CASHIER_PAYMENT`. A lower maximum
 * distance makes the search cheaper.
 */
export function nearestTo(
  text: string,
  candidates: readonly string[],
  editsMax = Infinity,
): string | undefined {
  if (text.length > lengthMax) return undefined;
  const plain = plainOf(text);
  let nearest: string | undefined;
  let nearestDistance = Infinity;
  for (const candidate of candidates) {
    const other = plainOf(candidate);
    const share = Math.floor(Math.max(plain.length, other.length) / 3);
    const most = Math.min(nearestDistance - 1, share, editsMax);
    const distance = editDistance(plain, other, most);
    if (distance <= most) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
}

function plainOf(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]/g, "");
}

/**
 * Damerau–Levenshtein distance: number of letters to insert, delete, replace, or swap with a neighbour. Returns a
 * number above `most` if the distance exceeds it.
 */
function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return Infinity;
  let twoAbove: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = isSwap ? (twoAbove[column - 2] ?? Infinity) + 1 : Infinity;
      const distance = Math.min(replaced, swapped, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      current.push(distance);
      least = Math.min(least, distance);
    }
    // A swap uses the row two above, so the search stops only if the previous row exceeds the limit as well.
    if (least > most && Math.min(...above) > most) return Infinity;
    [twoAbove, above] = [above, current];
  }
  return above[other.length] ?? Infinity;
}
