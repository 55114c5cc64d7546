import { findNearest } from "../core/find-nearest.ts";
import { refuse, type Refusal } from "../core/result.ts";
import type { ConnectorTerms } from "../providers/connector.ts";
import { isKnownMethod, knownMethods, methodOf, type PaymentMethod } from "./payment-method.ts";

/** Reason why a payment method is disabled, with the code of the interface. */
export type DisableReason =
  | "CURRENT_CHANNEL_NOT_EXIST"
  | "CHANNEL_NOT_SUPPORT_CURRENCY"
  | "CHANNEL_DISABLE"
  | "SERVICE_DEGRADE";

/** A payment method that may be offered for a payment, and whether it can be used now. */
export interface PaymentOption extends PaymentMethod {
  /** The connector that serves the method; undefined if there is none. */
  readonly connector: string | undefined;
  /** Currencies that the connector accepts; an empty list means all. */
  readonly currencies: readonly string[];
  readonly disableReason: DisableReason | undefined;
}

/** The connectors and the payment methods that they serve. */
export interface MethodDirectory {
  readonly environment: string;
  /** All payment methods that connectors list; `*` if a connector serves all methods that no other connector lists. */
  readonly servedMethods: () => readonly string[];
  readonly connectorFor: (paymentMethodType: string) => string | undefined;
  readonly isReachable: (connector: string) => boolean;
  readonly termsOf: (connector: string) => ConnectorTerms;
}

/** Filters of the options, from the request. */
export interface OptionFilter {
  readonly currency: string;
  /** Whether the money is only authorized now, and captured later. */
  readonly isHeld: boolean;
  /** Show only these payment methods, in this order. */
  readonly types?: readonly string[] | undefined;
  readonly blocked?: readonly string[] | undefined;
  /** ISO 3166 codes, or GLOBAL. */
  readonly regions?: readonly string[] | undefined;
  /** The buyer's region; its payment methods come first. */
  readonly userRegion?: string | undefined;
}

/** `listOptions` returns all payment methods for a payment, including disabled ones. */
export function listOptions(directory: MethodDirectory, filter: OptionFilter): readonly PaymentOption[] {
  const { types, blocked = [], regions, userRegion } = filter;
  const options = [...new Set(types ?? allTypes(directory))]
    .filter((type) => !blocked.includes(type))
    .map((type) => optionOf(directory, filter, type))
    .filter(({ region }) => !regions || regions.length === 0 || regions.includes(region));
  const rankOf = (option: PaymentOption): number =>
    (option.disableReason ? 2 : 0) + (userRegion !== undefined && option.region === userRegion ? 0 : 1);
  // The sort is stable, so options with the same rank keep the order of the list.
  return types ? options : options.toSorted((left, right) => rankOf(left) - rankOf(right));
}

/** `selectConnector` returns the merchant's connector for a payment method, or a refusal if there is none. */
export function selectConnector(
  directory: MethodDirectory,
  paymentMethodType: string,
): string | Refusal<"NO_PAY_OPTIONS"> {
  const connector = connectorOf(directory, paymentMethodType);
  if (connector !== undefined) return connector;
  const needsAccount = directory.servedMethods().includes(paymentMethodType);
  const reason = needsAccount ? { detail: accountDetail } : methodHint(directory, paymentMethodType);
  return refuse("NO_PAY_OPTIONS", { field: methodField, ...reason });
}

/** `refusalOf` returns why a connector does not accept this payment now; undefined if it does. */
export function refusalOf(
  directory: MethodDirectory,
  filter: Pick<OptionFilter, "currency" | "isHeld">,
  connector: string,
): Refusal<OptionRefusal> | undefined {
  const problem = disableReasonOf(directory, filter, connector);
  return problem && refusalFor(problem);
}

const accountDetail =
  "The payment provider of this method requires an account of the merchant, which the operator has not set.";

const methodField = "paymentMethod.paymentMethodType";

/**
 * `connectorOf` returns the connector that serves a method. The sandbox provider serves each method that no other
 * connector lists, so it would accept the typo `GCASHH`, which fails only in live. To detect typos in the sandbox, the
 * sandbox provider serves known methods only.
 */
function connectorOf(
  { environment, servedMethods, connectorFor }: MethodDirectory,
  type: string,
): string | undefined {
  const isServed = environment !== "sandbox" || servedMethods().includes(type) || isKnownMethod(type);
  return isServed ? connectorFor(type) : undefined;
}

function methodHint(directory: MethodDirectory, type: string): { readonly hint?: string } {
  if (directory.environment !== "sandbox") return {};
  const names = allTypes(directory);
  return {
    hint: `No provider has this payment method.${didYouMean(type, names)} Available methods: ${names.join(", ")}.`,
  };
}

function didYouMean(type: string, served: readonly string[]): string {
  if (cardBrands.has(type.toUpperCase()) && served.includes("CARD"))
    return " Did you mean CARD? The buyer chooses the brand on the card page.";
  const nearest = findNearest(type, served);
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}

/** Card brands, which other gateways have as separate payment methods. */
const cardBrands: ReadonlySet<string> = new Set([
  "VISA",
  "MASTERCARD",
  "MAESTRO",
  "AMEX",
  "AMERICAN_EXPRESS",
  "DISCOVER",
  "DINERS",
  "JCB",
  "CREDIT_CARD",
  "DEBIT_CARD",
]);

type OptionRefusal =
  | "NO_PAY_OPTIONS"
  | "CURRENCY_NOT_SUPPORT"
  | "PAYMENT_METHOD_NOT_SUPPORTED"
  | "UNAVAILABLE_PAYMENT_METHOD";

function refusalFor(reason: DisableReason): Refusal<OptionRefusal> {
  switch (reason) {
    case "CURRENT_CHANNEL_NOT_EXIST":
      return refuse("NO_PAY_OPTIONS", { field: methodField });
    case "CHANNEL_NOT_SUPPORT_CURRENCY":
      return refuse("CURRENCY_NOT_SUPPORT", { field: "paymentAmount.currency" });
    case "CHANNEL_DISABLE":
      return refuse("PAYMENT_METHOD_NOT_SUPPORTED", { field: "paymentFactor.captureMode" });
    case "SERVICE_DEGRADE":
      // No data was recorded, so the merchant may retry the same request.
      return refuse("UNAVAILABLE_PAYMENT_METHOD", { detail: unreachableDetail });
  }
}

const unreachableDetail =
  "The payment provider does not respond at the moment. Nothing was recorded: send the request again later.";

/** `isOffered` returns whether the method can be used, now or when its provider responds again. */
export function isOffered({ disableReason }: PaymentOption): boolean {
  return disableReason === undefined || disableReason === "SERVICE_DEGRADE";
}

/** The payment methods of this merchant, without those of connectors that require an account that it does not have. */
function allTypes({ servedMethods, connectorFor }: MethodDirectory): readonly string[] {
  const served = servedMethods();
  const listedTypes = served.filter((type) => type !== "*");
  const known = served.includes("*") ? knownMethods.map(({ paymentMethodType }) => paymentMethodType) : [];
  return [...listedTypes, ...known].filter((type) => connectorFor(type) !== undefined);
}

function optionOf(directory: MethodDirectory, filter: OptionFilter, type: string): PaymentOption {
  const connector = connectorOf(directory, type);
  const currencies = connector === undefined ? [] : directory.termsOf(connector).currencies;
  return {
    ...methodOf(type),
    connector,
    currencies,
    disableReason: disableReasonOf(directory, filter, connector),
  };
}

function disableReasonOf(
  { termsOf, isReachable }: MethodDirectory,
  { currency, isHeld }: Pick<OptionFilter, "currency" | "isHeld">,
  connector: string | undefined,
): DisableReason | undefined {
  if (connector === undefined) return "CURRENT_CHANNEL_NOT_EXIST";
  const { currencies, captures } = termsOf(connector);
  if (currencies.length > 0 && !currencies.includes(currency)) return "CHANNEL_NOT_SUPPORT_CURRENCY";
  if (isHeld && captures === "NONE") return "CHANNEL_DISABLE";
  return isReachable(connector) ? undefined : "SERVICE_DEGRADE";
}
