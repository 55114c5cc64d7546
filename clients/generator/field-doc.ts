import type { Field } from "./model.ts";

/** What is said of a field, in every language: what it means, how long it may be, and that it is secret. */
export function fieldDoc({ name, doc, limits, isSecret }: Field): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = limits;
  const parts = [
    // It is the same everywhere, so the document says it once and not at each of them.
    doc === "" && name === "result" ? "Whether it happened, and if not, why." : doc,
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
