import type { Field } from "./types-of-schemas.ts";

/**
 * The description of a field, the same in every language: its meaning, its limits, and whether it is secret.
 */
export function describeField({ name, doc, limits, isSecret }: Field): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = limits;
  const parts = [
    // The description of `result` is the same everywhere, so the document does not repeat it in each message.
    doc === "" && name === "result" ? "The result of the request: status, code and message." : doc,
    describeRange(minLength === 1 ? undefined : minLength, maxLength, " characters"),
    describeRange(minimum, maximum, ""),
    describeRange(minItems, maxItems, " entries"),
    isSecret ? "Never logged." : "",
  ];
  return parts.filter((text) => text !== "").join(" ");
}

function describeRange(lowest: number | undefined, highest: number | undefined, unit: string): string {
  if (lowest !== undefined && lowest === highest) return `Exactly ${lowest}${unit}.`;
  if (lowest !== undefined && highest !== undefined) return `${lowest} to ${highest}${unit}.`;
  if (highest !== undefined) return `At most ${highest}${unit}.`;
  return lowest !== undefined ? `At least ${lowest}${unit}.` : "";
}
