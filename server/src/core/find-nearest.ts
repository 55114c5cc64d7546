/** Maximum length of a text to compare. Longer texts are no typing mistake, and comparing them would cost CPU. */
const lengthMax = 64;

/**
 * The candidate that was probably meant: the one with the smallest edit distance, if that distance is small for the
 * length of the text. Case and separators do not count, so `cashier-payment` is `CASHIER_PAYMENT`. A lower maximum
 * distance makes the search cheaper.
 */
export function findNearest(
  text: string,
  candidates: readonly string[],
  editsMax = Infinity,
): string | undefined {
  if (text.length > lengthMax) return undefined;
  const plainText = normalizeName(text);
  let nearest: string | undefined;
  let nearestDistance = Infinity;
  for (const candidate of candidates) {
    const plainCandidate = normalizeName(candidate);
    const editsByLength = Math.floor(Math.max(plainText.length, plainCandidate.length) / 3);
    const distanceMax = Math.min(nearestDistance - 1, editsByLength, editsMax);
    const distance = editDistance(plainText, plainCandidate, distanceMax);
    if (distance <= distanceMax) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
}

function normalizeName(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]/g, "");
}

/**
 * Damerau–Levenshtein distance: number of letters to insert, delete, replace, or swap with a neighbour. Returns a
 * number above `most` if the distance exceeds it.
 */
function editDistance(left: string, right: string, distanceMax: number): number {
  if (Math.abs(left.length - right.length) > distanceMax) return Infinity;
  let twoAbove: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    let rowMin = row;
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwap ? (twoAbove[column - 2] ?? Infinity) + 1 : Infinity;
      const distance = Math.min(replaced, swapped, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      current.push(distance);
      rowMin = Math.min(rowMin, distance);
    }
    // A swap uses the row two above, so the search stops only if the previous row exceeds the limit as well.
    if (rowMin > distanceMax && Math.min(...above) > distanceMax) return Infinity;
    [twoAbove, above] = [above, current];
  }
  return above[right.length] ?? Infinity;
}
