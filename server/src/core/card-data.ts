import type { JsonObject, JsonValue } from "./strict-json.ts";

/**
 * The dotted path of the first field that carries card data, or undefined. No card number may enter the
 * gateway, so this runs before a body is logged or stored; the path itself never repeats card data.
 */
export function cardDataIn(value: JsonValue): string | undefined {
  const steps = stepsToCardData(value, "");
  return steps === undefined ? undefined : steps.map(shown).join(".") || unnamed;
}

/** In lower case. A field of such a name is refused whatever it holds. */
const cardFieldNames: ReadonlySet<string> = new Set([
  "cardno",
  "cardnumber",
  "card_no",
  "card_number",
  "pan",
  "cvv",
  "cvv2",
  "cvc",
  "cvc2",
  "csc",
  "cardsecuritycode",
  "card_security_code",
  "track1",
  "track2",
  "trackdata",
  "track_1",
  "track_2",
  "track_data",
  "pin",
  "pinblock",
  "pin_block",
]);

/** Fields whose content is long and numeric by nature: every tenth such number would pass for a card's. */
const exemptNames: ReadonlySet<string> = new Set([
  "id",
  "value",
  "codeValue",
  "paymentMethodId",
  "paymentCode",
  "authCode",
  "authState",
  "accessToken",
  "refreshToken",
  // Base64 of a document, and no card number is written so.
  "disputeEvidence",
]);

/** Capitals count, so that `Id` exempts `orderId` but not `paid`. */
const exemptSuffixes = ["Id", "Time", "No"] as const;

/**
 * Random ids that hold long runs of digits by chance: a UUID, and 24 or more hexadecimal digits. No card number is
 * written so, and one body in some hundreds would be refused for them.
 */
const randomIds = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24,})\b/gi;

const cardFieldNameLengthMax = "card_security_code".length;
const digitsMin = 13;
const digitsMax = 19;
const unnamed = "*";

/** `name` is that of the field; an array lends its own to its elements. */
function stepsToCardData(value: JsonValue, name: string): readonly string[] | undefined {
  if (typeof value === "string") return holdsCardNumber(value) && !isExempt(name) ? [] : undefined;
  if (typeof value === "number") {
    // A number with a fraction is a rate or a place on the map, never a card.
    return Number.isInteger(value) && holdsCardNumber(String(value)) && !isExempt(name) ? [] : undefined;
  }
  if (typeof value === "boolean" || value === null) return undefined;
  return isArray(value) ? stepsFromArray(value, name) : stepsFromObject(value);
}

function stepsFromArray(array: readonly JsonValue[], name: string): readonly string[] | undefined {
  for (const [index, element] of array.entries()) {
    const steps = stepsToCardData(element, name);
    if (steps) return [String(index), ...steps];
  }
  return undefined;
}

function stepsFromObject(object: JsonObject): readonly string[] | undefined {
  for (const name of Object.keys(object)) {
    const value = object[name];
    // Some client libraries send every field they know, and null for those that are absent.
    if (value === undefined || value === null) continue;
    if (isCardFieldName(name) || holdsCardNumber(name)) return [name];
    const steps = stepsToCardData(value, name);
    if (steps) return [name, ...steps];
  }
  return undefined;
}

function isCardFieldName(name: string): boolean {
  return name.length <= cardFieldNameLengthMax && cardFieldNames.has(name.toLowerCase());
}

function isExempt(name: string): boolean {
  if (exemptNames.has(name)) return true;
  // A field for a masked card number holds no whole one.
  return exemptSuffixes.some((suffix) => name.endsWith(suffix)) && !/cardno$/i.test(name);
}

function holdsCardNumber(text: string): boolean {
  return hasLuhnNumber(text) && hasLuhnNumber(text.replaceAll(randomIds, "."));
}

/**
 * Whether the text has 13 to 19 digits that start as cards do and pass the Luhn check. One space or hyphen may
 * stand between two digits. Other digits right before or after them make a longer number, which is no card's.
 */
function hasLuhnNumber(text: string): boolean {
  let wasDigit = false;
  for (let at = 0; at <= text.length - digitsMin; at += 1) {
    const digit = digitAt(text, at);
    if (!wasDigit && digit >= 2 && digit <= 6 && isCardNumberAt(text, at)) return true;
    wasDigit = digit >= 0;
  }
  return false;
}

/** Walks on over separators, and asks at the end of each group of digits whether the number may end there. */
function isCardNumberAt(text: string, start: number): boolean {
  // No card starts with 20, but dates do, and many order numbers start with a date.
  if (text.startsWith("20", start)) return false;

  let count = 0;
  // Luhn doubles every second digit from the right. The right end is unknown yet, so both sums are kept.
  let sumLastDoubled = 0;
  let sumLastPlain = 0;
  for (let at = start; count < digitsMax; at += 1) {
    const digit = digitAt(text, at);
    const doubled = digit < 5 ? digit * 2 : digit * 2 - 9;
    const sumBeforePlain = sumLastDoubled;
    sumLastDoubled = sumLastPlain + doubled;
    sumLastPlain = sumBeforePlain + digit;
    count += 1;

    if (digitAt(text, at + 1) >= 0) continue;
    if (count >= digitsMin && sumLastPlain % 10 === 0) return true;
    const isSeparated = text[at + 1] === " " || text[at + 1] === "-";
    if (!isSeparated || digitAt(text, at + 2) < 0) return false;
    at += 1;
  }
  return false;
}

/** The digit at a place in the text, or -1 if there is none. */
function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

function shown(step: string): string {
  return step === "" || holdsCardNumber(step) ? unnamed : step;
}

function isArray(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
