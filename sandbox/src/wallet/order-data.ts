/** The groups of optional data of an order, about the buyer, the device, the goods and so on. */
export const dataGroups = [
  "buyer",
  "device",
  "browser",
  "address",
  "goods",
  "locale",
  "descriptor",
  "metadata",
] as const;

export type DataGroup = (typeof dataGroups)[number];

export function isDataGroup(value: unknown): value is DataGroup {
  return dataGroups.some((group) => group === value);
}

/** Whether `data` of a submit has only known groups, each an object. */
export function isOrderData(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(([group, fields]) => isDataGroup(group) && isObject(fields))
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
