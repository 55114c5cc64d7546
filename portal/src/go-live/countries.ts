export interface Country {
  readonly value: string;
  readonly label: string;
}

const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
/** Codes that the browser has a name for but that are not countries: unions, and "unknown". */
const notCountries = new Set(["EU", "EZ", "UN", "XA", "XB", "ZZ", "QO"]);

/** `listCountries` returns the countries (ISO 3166-1) with the browser's names, sorted in the reader's language. */
export function listCountries(language: string): readonly Country[] {
  const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((value) => !notCountries.has(value))
    .map((value) => ({ value, label: names.of(value) ?? "" }))
    .filter(({ label }) => label !== "")
    .toSorted((a, b) => a.label.localeCompare(b.label, language));
}
