/** An ISO 4217 code. A plain string, because `parseAmount` checks it once, where an amount enters. */
export type Currency = string;

/** The number of digits of the minor unit, or undefined if `code` is no currency for payments. */
export function minorDigits(code: string): MinorDigits | undefined {
  return digitsByCurrency.get(code);
}

/** Whether `code` is a currency for payments. */
export function isCurrency(code: string): boolean {
  return digitsByCurrency.has(code);
}

type MinorDigits = 0 | 2 | 3 | 4;

/**
 * The digits of each currency by ISO 4217, list one of 2026-01-01. `Intl` is not a source: browsers and Node know how
 * prices are usually displayed, not how they are booked. CLDR 48 differs from the standard for 16 currencies (no digits
 * for IDR, HUF, COP, IQD…), which would be wrong by a factor of 100 or 1,000.
 *
 * The list omits codes without a minor unit, which are no means of payment: XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS
 * XUA XXX.
 */
const codesByDigits: readonly (readonly [digits: MinorDigits, codes: string])[] = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [2, "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD"],
  [2, "CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP"],
  [2, "GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT"],
  [2, "LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN"],
  [2, "NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB"],
  [2, "SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS"],
  [2, "UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
];

const digitsByCurrency: ReadonlyMap<string, MinorDigits> = new Map(
  codesByDigits.flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, digits] as const)),
);

/** All currency codes for payments. */
export const currencies: readonly string[] = [...digitsByCurrency.keys()];
