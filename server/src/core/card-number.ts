import {
  isAscii,
  passesGs1Check,
  normalizeDigits,
  decodeEscapes,
  removeKnownNumbers,
} from "./normalize-digits.ts";

const digitsMin = 13;
const digitsMax = 19;

/**
 * `containsCardNumber` is true if a text contains a card number (PAN) in any spelling. Digits may be of any script.
 * Groups may be separated by up to three signs, or by up to sixteen signs or three letters if all separators are equal.
 * Letters or a few digits may precede the number, and the expiry may follow. A number counts if it has the prefix (IIN)
 * and length of an issued card, and passes the Luhn check. One in ten other numbers passes by chance (a false
 * positive), so known other numbers, such as a product code or an IBAN, are removed first.
 */
export function containsCardNumber(text: string): boolean {
  const digits = densityOfDigits(text);
  if (digits === "few") return false;
  const normalized = normalizeDigits(text);
  const readings = new Set([normalized, decodeEscapes(normalized)]);
  return [...readings].some((reading) => {
    const rest = removeKnownNumbers(reading);
    return (digits === "enough" && findDigitChains(rest).some(containsCard)) || containsSpreadCard(rest);
  });
}

/**
 * Fast path: how many digits a text has. "few" means fewer digits than a card number, as in most texts. "split" means
 * enough digits, but with letters between them.
 */
function densityOfDigits(text: string): "few" | "split" | "enough" {
  let [count, total] = [0, 0];
  let isEscaped = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x30 && unit <= 0x39) {
      count += 1;
      total += 1;
    } else if (unit === percent || unit === ampersand) isEscaped = true;
    else if (unit < 0x80 ? !isEscaped && isLetter(unit) : isLetterOfAnotherScript(unit)) count = 0;
    // The character may be a digit of another script.
    else if (unit >= 0x80) {
      count += 1;
      total += 1;
    }
    if (count >= digitsMin) return "enough";
  }
  return total >= digitsMin ? "split" : "few";
}

/** Signs that start percent-encoding and HTML entities: the letters that follow may be part of an escaped character. */
const percent = 0x25;
const ampersand = 0x26;

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Whether a character is a letter in one of the scripts of most texts. The full check of other scripts comes later. */
function isLetterOfAnotherScript(unit: number): boolean {
  if (unit < 0x0600) return (unit >= 0x00c0 && unit < 0x0300) || unit >= 0x0370;
  return (
    (unit >= 0x3041 && unit < 0x3190) ||
    (unit >= 0x3400 && unit < 0xa000) ||
    (unit >= 0xac00 && unit < 0xd7a4)
  );
}

/** A chain: groups of digits with one to three signs between them that are neither letters nor digits. */
interface DigitChain {
  readonly groups: readonly string[];
  /** The separators between the groups: one fewer than groups. */
  readonly separators: readonly string[];
  /** The character before the chain: a plus before a telephone number, letters before a parcel number. */
  readonly before: string;
}

const chainForm = /\d+(?:[^\p{L}\p{N}]{1,3}\d+)*/gu;
/** The same regular expression for ASCII text, which is four times as fast. */
const asciiChainForm = /\d+(?:[^A-Za-z0-9]{1,3}\d+)*/g;

function findDigitChains(text: string): readonly DigitChain[] {
  return [...text.matchAll(isAscii(text) ? asciiChainForm : chainForm)]
    .filter(([chain]) => chain.length >= digitsMin)
    .map(({ 0: chain, index }) => {
      const parts = chain.split(/(\D+)/);
      return {
        groups: parts.filter((_, each) => each % 2 === 0),
        separators: parts.filter((_, each) => each % 2 === 1),
        before: text[index - 1] ?? "",
      };
    });
}

function containsCard({ groups, separators, before }: DigitChain): boolean {
  if (isEvenlySpelled(groups, separators) && isCardAfter(before, groups.join(""))) return true;
  return groups.some((group, at) => {
    const previous = at === 0 ? before : "";
    const numbers =
      group.length >= digitsMin ? candidateNumbers(group, previous) : groupedNumbers(groups, at);
    return numbers.some((number) => isCardAfter(previous, number));
  });
}

/**
 * A chain with longer separators: groups of digits with equal separators: four to sixteen signs, or one to three
 * letters. One letter may be between two spaces, but not after other signs: a list such as "P4001, P4002" is no card
 * number.
 */
const spreadForm = /(?<!\d)\d+(?!\d)([^\p{L}\p{N}]{4,16}|\p{L}{1,3}| \p{L} )\d+(?:\1\d+)*/gu;
/** The same for ASCII. */
const asciiSpreadForm = /(?<!\d)\d+(?!\d)([^A-Za-z0-9]{4,16}|[A-Za-z]{1,3}| [A-Za-z] )\d+(?:\1\d+)*/g;

function containsSpreadCard(text: string): boolean {
  const form = isAscii(text) ? asciiSpreadForm : spreadForm;
  form.lastIndex = 0;
  for (let match = form.exec(text); match; match = form.exec(text)) {
    const [chain, separator = ""] = match;
    const groups = chain.split(separator);
    if (chain.length >= digitsMin && isSpreadCard(groups, separator)) return true;
    // The last group of a chain may be the first group of the next chain, which has another separator.
    form.lastIndex -= groups.at(-1)?.length ?? 0;
  }
  return false;
}

/**
 * Whether groups of digits with equal separators are a card number. With letters as separators at least three groups
 * are required, because two numbers with letters between them are usually a reference or a size.
 */
function isSpreadCard(groups: readonly string[], separator: string): boolean {
  const groupsMin = /\p{L}/u.test(separator) ? 3 : 2;
  if (groups.length < groupsMin) return false;
  if (isEvenlySpelled(groups, []) && isCardNumber(groups.join(""))) return true;
  return groups.some((_, at) => groupedNumbers(groups, at, groupsMin).some(isCardNumber));
}

function isCardAfter(before: string, number: string): boolean {
  // After a plus, up to 15 digits are a telephone number (E.164).
  return !(before === "+" && number.length <= 15) && isCardNumber(number);
}

/** Whether a chain is in groups of three to six digits, or in single digits, with equal separators. */
function isEvenlySpelled(groups: readonly string[], separators: readonly string[]): boolean {
  if (groups.length > digitsMax || !separators.every((sign) => sign === separators[0])) return false;
  const isWithin = (min: number, max: number): boolean =>
    groups.every(({ length }) => length >= min && length <= max);
  return (groups.length >= 3 && isWithin(3, 6)) || isWithin(1, 1);
}

/** Lengths of the groups in which cards and forms print numbers. Zero means the remaining one to four digits. */
const printedGroupings: readonly (readonly number[])[] = [
  [4, 4, 4, 4, 0],
  [4, 4, 4, 0],
  [4, 6, 5],
  [4, 6, 4],
  [4, 3, 3, 3],
  [6, 13],
  [6, 10],
  [8, 8],
  [4, 12],
];

/**
 * Numbers that begin with this group. The function checks the prefix first, because a body may contain a hundred
 * thousand groups.
 */
function groupedNumbers(groups: readonly string[], from: number, groupsMin = 2): readonly string[] {
  const first = groups[from] ?? "";
  if (first.length < 4 || lengthsOf(first) === 0) return [];
  return printedGroupings
    .filter((form) => form.length >= groupsMin && matchesGrouping(form, groups, from))
    .map((form) => groups.slice(from, from + form.length).join(""))
    .filter(hasIssuedPrefix);
}

function matchesGrouping(form: readonly number[], groups: readonly string[], from: number): boolean {
  for (let at = 0; at < form.length; at += 1) {
    const length = groups[from + at]?.length ?? 0;
    if (form[at] === 0 ? length < 1 || length > 4 : length !== form[at]) return false;
  }
  return true;
}

/**
 * The numbers that a run of digits may contain: the run itself, and the run without a few leading digits or without a
 * trailing expiry.
 */
function candidateNumbers(run: string, before: string): readonly string[] {
  const whole = run.length <= digitsMax && !isGtin(run) ? [run] : [];
  if (run.length < 17 || run.length > digitsMax + 4 || run.startsWith("20")) return whole;
  // Letters before such a long run of digits mean a reference. If leading digits were removed there, one reference in
  // thirty would be a false positive.
  const fronts = /\p{L}/u.test(before) ? [] : [1, 2, 3, 4];
  const hasExpiry = /(?:(?:0[1-9]|1[0-2])[2-4]\d|[2-4]\d(?:0[1-9]|1[0-2]))$/.test(run);
  const parts = [...fronts.map((front) => run.slice(front)), ...(hasExpiry ? [run.slice(0, -4)] : [])];
  return [...whole, ...parts.filter(isUsualLength)];
}

function isUsualLength({ length }: string): boolean {
  return length === 15 || length === 16 || length === 19;
}

/**
 * Whether a number is a GTIN (the number of a bar code). Few cards have 13 or 14 digits; one in ten of these is taken
 * for a product code.
 */
function isGtin(run: string): boolean {
  return (run.length === 13 || run.length === 14) && passesGs1Check(run);
}

function isCardNumber(digits: string): boolean {
  return hasIssuedPrefix(digits) && !isTimestamp(digits) && passesLuhn(digits);
}

/** The lengths of card numbers by their first four digits (IIN ranges). */
const issuedRanges: readonly (readonly [from: number, to: number, lengths: readonly number[]])[] = [
  [4000, 4999, [13, 16, 19]], // Visa
  [5100, 5599, [16]], // Mastercard
  [2221, 2720, [16]],
  [3400, 3499, [15]], // American Express
  [3700, 3799, [15]],
  [3000, 3059, [14]], // Diners Club
  [3095, 3095, [14]],
  [3600, 3699, [14]],
  [3800, 3999, [14]],
  [3528, 3589, [16, 17, 18, 19]], // JCB
  [6011, 6011, [16, 17, 18, 19]], // Discover
  [6440, 6599, [16, 17, 18, 19]],
  [6200, 6299, [16, 17, 18, 19]], // UnionPay
  [6000, 6099, [16]], // RuPay, Hipercard
  [6360, 6369, [16]], // Elo, InterPayment
  [2200, 2204, [16]], // Mir
  [5060, 5061, [16, 18, 19]], // Verve
  [9792, 9792, [16]], // Troy
  ...[5018, 5019, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763].map(
    (prefix) => [prefix, prefix, [13, 14, 15, 16, 17, 18, 19]] as const, // Maestro, Dankort
  ),
];

/** For each possible first four digits of a card number, a bit mask of the valid lengths. */
const issuedLengths = new Uint32Array(10_000);
for (const [from, to, lengths] of issuedRanges)
  for (let prefix = from; prefix <= to; prefix += 1)
    for (const length of lengths) issuedLengths[prefix] = (issuedLengths[prefix] ?? 0) | (1 << length);

function lengthsOf(digits: string): number {
  return issuedLengths[Number(digits.slice(0, 4))] ?? 0;
}

function hasIssuedPrefix(digits: string): boolean {
  return (lengthsOf(digits) & (1 << digits.length)) !== 0;
}

/**
 * A number that starts with year, month, day, hour and minute. Many order numbers do, but hardly any card number that
 * starts with 2.
 */
const timestampForm = /^2\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d/;

function isTimestamp(digits: string): boolean {
  return timestampForm.test(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[at]);
    const doubled = digit < 5 ? digit * 2 : digit * 2 - 9;
    sum += (digits.length - at) % 2 === 0 ? doubled : digit;
  }
  return sum % 10 === 0;
}
