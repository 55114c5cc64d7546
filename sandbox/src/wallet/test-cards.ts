/** The decision of the simulated bank about a card. */
export type CardOutcome =
  | { readonly kind: "approved" }
  | { readonly kind: "declined"; readonly resultCode: string }
  /** `challenge`: the bank asks the buyer for approval first, on its own page. */
  | { readonly kind: "challenge" }
  | { readonly kind: "slow"; readonly seconds: number }
  /** `lost`: the bank approves, and the wallet's callbacks to the gateway are lost. */
  | { readonly kind: "lost" };

export interface TestCard {
  /** The card's name in links, because links must never contain a card number. */
  readonly name: string;
  readonly number: string;
  readonly label: string;
  readonly outcome: CardOutcome;
}

const declined = (resultCode: string): CardOutcome => ({ kind: "declined", resultCode });

/**
 * All accepted card numbers with their outcomes. Real cards never begin with 999: in ISO/IEC 7812 a 9 is followed by a
 * country's number, and 999 is not a country.
 */
export const testCards: readonly TestCard[] = [
  { name: "approved", number: "9999000000000004", label: "Approved", outcome: { kind: "approved" } },
  { name: "declined", number: "9999000000000012", label: "Declined", outcome: declined("DO_NOT_HONOR") },
  {
    name: "not-enough-money",
    number: "9999000000000020",
    label: "Not enough money",
    outcome: declined("USER_BALANCE_NOT_ENOUGH"),
  },
  {
    name: "expired",
    number: "9999000000000038",
    label: "Expired card",
    outcome: declined("INVALID_EXPIRATION_DATE"),
  },
  {
    // The check digit of this number is wrong on purpose.
    name: "invalid-number",
    number: "9999000000000045",
    label: "Invalid number",
    outcome: declined("INVALID_CARD_NUMBER"),
  },
  {
    name: "brand-not-taken",
    number: "9999000000000053",
    label: "Brand not accepted",
    outcome: declined("SELECTED_CARD_BRAND_NOT_AVAILABLE"),
  },
  { name: "suspected", number: "9999000000000061", label: "Suspected", outcome: declined("SUSPECTED_CARD") },
  {
    name: "bank-asks",
    number: "9999000000000079",
    label: "The bank asks for approval",
    outcome: { kind: "challenge" },
  },
  {
    name: "slow-bank",
    number: "9999000000000087",
    label: "Slow bank",
    outcome: { kind: "slow", seconds: 3 },
  },
  { name: "answer-lost", number: "9999000000000095", label: "Answer lost", outcome: { kind: "lost" } },
];

export function findTestCard(name: string | null): TestCard | undefined {
  return testCards.find((card) => card.name === name);
}

/** Formats a card number in groups of four digits, as it is printed on a card. */
export function groupDigits(number: string): string {
  return number.replaceAll(/\d{4}(?=\d)/g, "$& ");
}

export type CardField = "number" | "expiry" | "code";

export interface CardInput {
  /** The test card that was entered; undefined for any other input, which never leaves `parseCard`. */
  readonly card: TestCard | undefined;
  /** Error messages by field. */
  readonly problems: Partial<Readonly<Record<CardField, string>>>;
}

/** Reads the form. The error messages never repeat the input. */
export function parseCard(form: URLSearchParams, nowMs: number): CardInput {
  const fieldText = (field: CardField): string => (form.get(field) ?? "").trim();
  const digits = fieldText("number").replaceAll(/[\s-]/g, "");
  const card = testCards.find(({ number }) => number === digits);
  const wrongs: Readonly<Record<CardField, string | undefined>> = {
    number: card ? undefined : numberProblem(digits),
    expiry: expiryProblem(fieldText("expiry"), nowMs),
    code: /^\d{3,4}$/.test(fieldText("code")) ? undefined : "Three or four digits.",
  };
  const problems = Object.fromEntries(Object.entries(wrongs).filter(([, problem]) => problem !== undefined));
  return { card, problems };
}

function numberProblem(digits: string): string {
  if (digits === "") return "Choose a test card below, or type its number.";
  if (/^\d{12,19}$/.test(digits) && passesLuhn(digits))
    return "This is a sandbox: never type a real card. It was not stored. Only the test cards below are accepted.";
  return "This is none of the test cards below. This is a sandbox: never type a real card.";
}

/** The check digit of card numbers (ISO/IEC 7812, the Luhn algorithm). */
export function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce((before, digit, index) => {
      const weighed = digit * (index % 2 === 0 ? 1 : 2);
      return before + (weighed > 9 ? weighed - 9 : weighed);
    }, 0);
  return sum % 10 === 0;
}

/** A card is valid until the end of the printed month. */
function expiryProblem(text: string, nowMs: number): string | undefined {
  const [, month, year] = /^(\d{1,2})\s*[/.-]?\s*((?:20)?\d\d)$/.exec(text)?.map(Number) ?? [];
  if (month === undefined || year === undefined || month < 1 || month > 12)
    return `Month and year, such as ${exampleExpiry(nowMs)}.`;
  const end = Date.UTC(2000 + (year % 100), month);
  return nowMs < end ? undefined : "This date is in the past. Any future date is accepted.";
}

/** Returns an expiry date two years from now as an example, because any future date is accepted. */
export function exampleExpiry(nowMs: number): string {
  const year = new Date(nowMs).getUTCFullYear() + 2;
  return `12/${String(year % 100).padStart(2, "0")}`;
}
