/**
 * Creates an id for a request. Store it with the order before the call, because a retry must use the same id.
 * The prefix is for people, such as the order number.
 */
export function newRequestId(prefix = "r"): string {
  if (!/^[\x21-\x7e]{1,30}$/.test(prefix))
    throw new RangeError("A prefix must have 1 to 30 visible ASCII characters.");
  const random = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
