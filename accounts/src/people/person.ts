/** A person, who has opened a link that was sent to this address. */
export interface Person {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
}

/**
 * `toEmail` normalises an address: NFKC, lower case. The part before the @ is case-sensitive in theory, but no mail
 * provider relies on it. NFKC converts full-width characters into separators, so validate the result with `isEmail`.
 */
export function toEmail(text: string): string {
  // Lower case can produce text that is not NFKC: a capital I with a dot becomes two characters.
  return text.trim().normalize("NFKC").toLowerCase().normalize("NFKC");
}

const emailPattern = /^[^\s\p{Cc}\p{Cf}@<>()",;:\\]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z]{2,63}$/u;

/** `isEmail` returns whether a normalised address is exactly one address, which no mail server parses as several. */
export function isEmail(email: string): boolean {
  return email.length <= 254 && emailPattern.test(email);
}

/** `mailboxOf` returns the mailbox of an address without its tag (`ada+shop@…` is `ada@…`), to count emails to it. */
export function mailboxOf(email: string): string {
  return email.replace(/^([^+@]+)\+[^@]*@/, "$1@");
}

/** Bidirectional controls and line separators, with which a name looks different from what it is (spoofing). */
const misleading = /[\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/**
 * `isPlainName` returns whether a name may be in an email: it must not contain a web address, also after NFKC,
 * because mail programs turn it into a link.
 */
export function isPlainName(name: string): boolean {
  const plain = name.normalize("NFKC");
  return !misleading.test(name) && !misleading.test(plain) && !/:\/\/|www\./i.test(plain);
}
