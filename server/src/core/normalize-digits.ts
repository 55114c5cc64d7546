/** The text with its digits as 0 to 9, and without invisible characters. */
export function normalizeDigits(text: string): string {
  return isAscii(text) ? text : asciiDigits(text);
}

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >= 0x80) return false;
  return true;
}

/** Converts full-width, superscript and mathematical digits to ASCII by Unicode's compatibility form. */
function asciiDigits(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/[\p{Cf}\p{Mn}\p{Me}\p{Cc}]/gu, (invisible) => (/\s/.test(invisible) ? invisible : ""))
    .replaceAll(/\p{Nd}/gu, digitOf);
}

/** Converts a digit of any script to ASCII. In Unicode the digits of a script are consecutive, from zero to nine. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let start = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return String((code - start) % 10);
}

/** Decodes percent-encoding. An HTML entity, or a byte that is not ASCII, becomes a space. */
export function decodeEscapes(text: string): string {
  if (!text.includes("%") && !text.includes("&")) return text;
  return text
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => {
      const code = Number.parseInt(hex, 16);
      return code < 0x80 ? String.fromCharCode(code) : " ";
    })
    .replaceAll(/&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});/gi, " ");
}

/**
 * Removes long numbers that are no card numbers: UUIDs, hexadecimal digests, ids of at least 24 digits, IBANs, parcel
 * numbers. The digits at the end of a hexadecimal id stay if few characters precede them, because a card number after
 * letters looks the same.
 */
export function removeKnownNumbers(text: string): string {
  // Fast path: a cheaper search runs before each replacement, and most texts do not match it.
  let rest = text;
  if (/[A-Z]{2}\d{2}/.test(rest)) rest = rest.replaceAll(ibanForm, (iban) => (isIban(iban) ? "x" : iban));
  if (/[0-9a-f]{8}-|[0-9a-f]{24}/i.test(rest)) rest = rest.replaceAll(randomIdForm, lastDigits);
  if (/9\d{3} ?\d{4}|00\d{8}/.test(rest))
    rest = rest.replaceAll(parcelForm, (code) => (isParcelNumber(code) ? "x" : code));
  return rest;
}

const randomIdForm = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24,})\b/gi;
const prefixMax = 12;

function lastDigits(id: string): string {
  const [digits = ""] = /\d*$/.exec(id) ?? [];
  const front = id.length - digits.length;
  return front > 0 && front <= prefixMax && !id.includes("-") ? `x${digits}` : "x";
}

const ibanForm = /\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,4})?\b/g;

/**
 * Whether a text is an IBAN. ISO 7064 mod 97-10: country and check digits move to the end, letters count from ten, and
 * the remainder must be one.
 */
function isIban(text: string): boolean {
  const compact = text.replaceAll(" ", "");
  const rotated = compact.slice(4) + compact.slice(0, 4);
  let remainder = 0;
  for (const character of rotated) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** Forms of parcel numbers (USPS, SSCC). No card number begins like these. */
const parcelForm = /(?<!\d)(?:9\d{3}(?: ?\d{4}){4} ?\d{2}|00\d{18})(?!\d)/g;

function isParcelNumber(code: string): boolean {
  return passesGs1Check(code.replaceAll(" ", ""));
}

/** Whether a number has a valid GS1 check digit: every second digit from the right counts three times. */
export function passesGs1Check(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1)
    sum += Number(digits[at]) * ((digits.length - at) % 2 === 0 ? 3 : 1);
  return sum % 10 === 0;
}
