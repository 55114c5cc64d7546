/**
 * Returns an IBAN in the form for files, or undefined if its form or its check digits are wrong (ISO 13616, ISO 7064
 * mod 97-10).
 */
export function parseIban(text: string): string | undefined {
  const iban = text.replaceAll(/\s/g, "").toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return undefined;
  const length = lengths[iban.slice(0, 2)];
  if (length !== undefined && iban.length !== length) return undefined;
  return remainderOf(iban) === 1 ? iban : undefined;
}

/**
 * The remainder is computed digit by digit, because the whole number has up to 68 digits. A letter counts as two
 * digits: A is 10, Z is 35.
 */
function remainderOf(iban: string): number {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

/** IBAN lengths of the most common countries. For other countries only the check digits are verified. */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "AD24 AE23 AT20 BE16 BG22 BH22 BR29 CH21 CY28 CZ24 DE22 DK18 EE20 EG29 ES24 FI18 FR27 GB22 GE22 GI23 GR27 HR21 HU28 IE22 " +
    "IL23 IS26 IT27 JO30 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 NL18 NO15 PK24 PL28 PT25 QA29 RO24 RS22 " +
    "SA24 SE24 SI19 SK24 SM27 TN24 TR26 UA29 XK20"
  )
    .split(" ")
    .map((each) => [each.slice(0, 2), Number(each.slice(2))]),
);

/** A BIC of 8 or 11 characters (ISO 9362). */
export function isBic(text: string): boolean {
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text);
}
