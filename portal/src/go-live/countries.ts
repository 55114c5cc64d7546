export interface Country {
  readonly value: string;
  readonly label: string;
}

const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
/** Codes that the browser has a name for, and that are no country: unions, and "unknown". */
const none = new Set(["EU", "EZ", "UN", "XA", "XB", "ZZ", "QO"]);

/** The countries as the browser names them (ISO 3166-1), in the order of the reader's language. */
export function countriesIn(language: string): readonly Country[] {
  const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((value) => !none.has(value))
    .map((value) => ({ value, label: names.of(value) ?? "" }))
    .filter(({ label }) => label !== "")
    .toSorted((a, b) => a.label.localeCompare(b.label, language));
}
