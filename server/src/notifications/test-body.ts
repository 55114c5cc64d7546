import { parseId } from "../core/id.ts";

/**
 * `buildTestBody` returns the body of a test webhook: the body of the example, with the id of a record that does not exist
 * and the current time.
 */
export function buildTestBody(example: object, id: string, time: string): object {
  const fields = Object.entries(example).map(([name, value]) => [
    name,
    replaceValue(name, value, id, time) ?? value,
  ]);
  return Object.fromEntries(fields);
}

function replaceValue(name: string, value: unknown, id: string, time: string): string | number | undefined {
  if (name === "sequence") return 1;
  // All ids of the gateway have the form of an address, so each one is replaced.
  if (typeof value === "string" && parseId(value)) return id;
  if (name.endsWith("Time")) return time;
  return /RequestId$|^authState$|^reference/.test(name) ? `test-${id}` : undefined;
}
