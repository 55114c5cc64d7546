/**
 * A new id for a request, to be kept with the order before the call is made: whoever repeats a call needs the
 * same one. The prefix is for people, such as the number of the order.
 */
export function newRequestId(prefix = "r"): string {
  if (!/^[\x21-\x7e]{1,30}$/.test(prefix))
    throw new RangeError("A prefix has 1 to 30 visible ASCII characters.");
  const random = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
