import type { Field } from "./types-of-schemas.ts";

/**
 * The description of a field, the same in every language: its meaning, its limits, and whether it is secret.
 */
export function fieldDoc({ name, doc, limits, isSecret }: Field): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = limits;
  const parts = [
    // The description of `result` is the same everywhere, so the document does not repeat it in each message.
    doc === "" && name === "result" ? "The result of the request: status, code and message." : doc,
    range(minLength === 1 ? undefined : minLength, maxLength, " characters"),
    range(minimum, maximum, ""),
    range(minItems, maxItems, " entries"),
    isSecret ? "Never logged." : "",
  ];
  return parts.filter((text) => text !== "").join(" ");
}

function range(least: number | undefined, most: number | undefined, what: string): string {
  if (least !== undefined && least === most) return `Exactly ${least}${what}.`;
  if (least !== undefined && most !== undefined) return `${least} to ${most}${what}.`;
  if (most !== undefined) return `At most ${most}${what}.`;
  return least !== undefined ? `At least ${least}${what}.` : "";
}
