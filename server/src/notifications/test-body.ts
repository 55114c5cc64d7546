/** The body of a test notification: that of an example, about a record that does not exist, as of now. */
export function testBody(example: object, id: string, time: string): object {
  const fields = Object.entries(example).map(([name, value]) => [name, replaced(name, id, time) ?? value]);
  return Object.fromEntries(fields);
}

/** Names of ids that the gateway gives. */
const givenIds = ["paymentId", "captureId", "refundId", "disputeId", "payoutId", "bankAccountId"];

function replaced(name: string, id: string, time: string): string | number | undefined {
  if (name === "sequence") return 1;
  if (givenIds.includes(name)) return id;
  if (name.endsWith("Time")) return time;
  return /RequestId$|^authState$|^reference/.test(name) ? `test-${id}` : undefined;
}
