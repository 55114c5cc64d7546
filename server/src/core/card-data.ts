import { containsCardNumber } from "./card-number.ts";
import type { JsonObject, JsonValue } from "./strict-json.ts";

/** Marks of a field in a schema. */
export interface DeclaredField {
  /**
   * True for a field that is long and numeric by nature: an id, an amount, a payment code. One in ten such numbers
   * would pass the Luhn check.
   */
  readonly "x-digits"?: boolean;
  /** True for a document in base64, which cannot contain a card number in readable form. */
  readonly "x-digest"?: boolean;
  readonly properties?: { readonly [name: string]: DeclaredField };
  readonly items?: DeclaredField;
}

/**
 * The dotted path of the first field with card data (a PAN, CVV, track or PIN), or undefined. No card number may enter
 * the gateway (PCI DSS), so the search runs before a body is logged or stored. The path itself never repeats card data.
 * Only fields that the schema exempts may look like a card number; unknown fields are searched, whatever their name.
 */
export function findCardData(value: JsonValue, declared: DeclaredField = {}): string | undefined {
  const steps = pathToCardData(value, declared);
  return steps === undefined ? undefined : steps.map(maskStep).join(".") || maskedName;
}

/**
 * Names of fields for card data, in lower case, letters and digits only. The gateway rejects a field with such a name,
 * whatever its value.
 */
const cardFieldNames: ReadonlySet<string> = new Set(
  (
    "cardno cardnum cardnumber cardpan pan panno pannumber primaryaccountnumber ccno ccnum ccnumber " +
    "creditcardno creditcardnumber debitcardno debitcardnumber cvv cvv2 cvvcode cardcvv cvc cvc2 " +
    "cvccode cardcvc csc cvn cvn2 cvd cav2 securitycode cardsecuritycode verificationvalue " +
    "cardverificationvalue cardverificationcode cardverificationnumber track1 track2 track3 " +
    "track1data track2data trackdata magneticstripe magstripe pin pinblock cardpin encryptedpin"
  ).split(" "),
);

const cardFieldNameLengthMax = 32;
const maskedName = "*";

function pathToCardData(value: JsonValue, declared: DeclaredField): readonly string[] | undefined {
  if (typeof value === "string") return !isExempt(declared) && containsCardNumber(value) ? [] : undefined;
  if (typeof value === "number") {
    // A number with a fraction is a rate or a coordinate, never a card.
    const isNumber = Number.isInteger(value) && !isExempt(declared);
    return isNumber && containsCardNumber(String(value)) ? [] : undefined;
  }
  if (typeof value === "boolean" || value === null) return undefined;
  return isArray(value) ? pathInArray(value, declared.items ?? {}) : pathInObject(value, declared);
}

function isExempt(declared: DeclaredField): boolean {
  return declared["x-digits"] === true || declared["x-digest"] === true;
}

function pathInArray(array: readonly JsonValue[], declared: DeclaredField): readonly string[] | undefined {
  for (const [index, element] of array.entries()) {
    const steps = pathToCardData(element, declared);
    if (steps) return [String(index), ...steps];
  }
  return undefined;
}

function pathInObject(object: JsonObject, { properties }: DeclaredField): readonly string[] | undefined {
  for (const name of Object.keys(object)) {
    const value = object[name];
    // A card field with null is allowed: some client libraries send every field that they know, with null for absent
    // ones.
    if (value === undefined || value === null) continue;
    const declared = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!declared && (isCardFieldName(name) || containsCardNumber(name))) return [name];
    const steps = pathToCardData(value, declared ?? {});
    if (steps) return [name, ...steps];
  }
  return undefined;
}

function isCardFieldName(name: string): boolean {
  return (
    name.length <= cardFieldNameLengthMax &&
    cardFieldNames.has(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))
  );
}

function maskStep(step: string): string {
  return step === "" || containsCardNumber(step) ? maskedName : step;
}

function isArray(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
