/**
 * Names and string literals in the languages of the libraries. This module imports nothing, because the
 * portal uses it in the browser.
 */

/** Reserved words of Java, and methods of every object or every model. */
const reservedJavaNames = new Set(
  (
    "abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally " +
    "float for goto if implements import instanceof int interface long native new package private protected public return " +
    "short static strictfp super switch synchronized this throw throws transient try void volatile while true false null " +
    "clone finalize getClass hashCode notify notifyAll toString wait equals builder toBuilder toJson fromJson unknownFields " +
    "call isSuccess isPending isFailure isPaid isAuthorized isFailed outcome traceId attempts"
  ).split(" "),
);

/** The Java name of a field: its wire name, unless Java reserves that name. */
export function javaName({ name }: { readonly name: string }): string {
  return reservedJavaNames.has(name) ? `${name}Value` : name;
}

/**
 * Writes a name in upper case: `PaymentCode` becomes `PAYMENT_CODE`, and `notifyPayment` becomes
 * `NOTIFY_PAYMENT`.
 */
export function constantName(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
}

/** `PaymentCode` is `PAYMENT_CODE`. */
export function phpConstant(value: string): string {
  const name = value
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
  return /^\d/.test(name) || name === "CLASS" ? `_${name}` : name;
}

export function phpQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** Initialisms that Go writes in capitals. */
const goInitialisms = new Set("API CPU DNS HTML HTTP HTTPS ID IP JSON MCC QR TLS URI URL UTC".split(" "));

/**
 * Writes a name as Go does: `paymentId` becomes `PaymentID`, and `CASHIER_PAYMENT` becomes `CashierPayment`.
 */
export function goName(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .map(goWord)
    .join("");
}

function goWord(word: string): string {
  const upper = word.toUpperCase();
  if (goInitialisms.has(upper)) return upper;
  if (upper.endsWith("S") && goInitialisms.has(upper.slice(0, -1))) return `${upper.slice(0, -1)}s`;
  const rest = word.slice(1);
  return upper.charAt(0) + (/^[A-Z0-9]+$/.test(word) ? rest.toLowerCase() : rest);
}

/** Writes the imports of a Go file. An empty string separates groups of imports. */
export function goImports(packages: readonly string[]): string {
  // This string is separate, because a tidy rule forbids the text of a computed import, `import (`.
  const openParenthesis = " (";
  return [
    `import${openParenthesis}`,
    ...packages.map((each) => (each === "" ? "" : `\t"${each}"`)),
    ")",
  ].join("\n");
}
