import { nearestTo } from "../core/nearest.ts";
import { refuse, type Refusal } from "../core/result.ts";
import type { ConnectorTerms } from "../wallets/connector.ts";
import { isKnownMethod, knownWallets, methodOf, type PaymentMethod } from "./payment-method.ts";

/** Why a method cannot be used, in the words of the interface. */
export type DisableReason =
  | "CURRENT_CHANNEL_NOT_EXIST"
  | "CHANNEL_NOT_SUPPORT_CURRENCY"
  | "CHANNEL_DISABLE"
  | "SERVICE_DEGRADE";

/** A method for a payment, and whether it can be used now. */
export interface PaymentOption extends PaymentMethod {
  /** The wallet that serves it; undefined when none does. */
  readonly connector: string | undefined;
  /** The currencies that it takes; none named is all. */
  readonly currencies: readonly string[];
  readonly disableReason: DisableReason | undefined;
}

/** Which connector serves which method. */
export interface MethodDirectory {
  readonly environment: string;
  /** All that connectors name; `*` when one takes whatever no other names. */
  readonly servedMethods: () => readonly string[];
  readonly connectorFor: (paymentMethodType: string) => string | undefined;
  readonly isReachable: (connector: string) => boolean;
  readonly termsOf: (connector: string) => ConnectorTerms;
}

/** What narrows a choice. */
export interface OptionsAsked {
  readonly currency: string;
  /** Whether money is to be held, and captured later. */
  readonly isHeld: boolean;
  /** Only these, in this order. */
  readonly types?: readonly string[] | undefined;
  readonly blocked?: readonly string[] | undefined;
  /** ISO 3166 codes, or GLOBAL. */
  readonly regions?: readonly string[] | undefined;
  /** Where the buyer is: methods from there come first. */
  readonly userRegion?: string | undefined;
}

/** Every method that a payment can be offered, those included that cannot be used just now. */
export function listOptions(directory: MethodDirectory, asked: OptionsAsked): readonly PaymentOption[] {
  const { types, blocked = [], regions, userRegion } = asked;
  const options = [...new Set(types ?? allTypes(directory))]
    .filter((type) => !blocked.includes(type))
    .map((type) => optionOf(directory, asked, type))
    .filter(({ region }) => !regions || regions.length === 0 || regions.includes(region));
  const order = (option: PaymentOption): number =>
    (option.disableReason ? 2 : 0) + (userRegion !== undefined && option.region === userRegion ? 0 : 1);
  // The sort is stable: equal options keep the order of the list.
  return types ? options : options.toSorted((one, other) => order(one) - order(other));
}

/** The connector that takes a payment by this method now, or a refusal with the reason that disables it. */
export function connectorTaking(
  directory: MethodDirectory,
  asked: Pick<OptionsAsked, "currency" | "isHeld">,
  paymentMethodType: string,
): string | Refusal<OptionRefusal> {
  const connector = connectorOf(directory, paymentMethodType);
  if (connector === undefined)
    return refuse("NO_PAY_OPTIONS", { field, ...methodHint(directory, paymentMethodType) });
  const problem = problemOf(directory, asked, connector);
  return problem ? refusalFor(problem) : connector;
}

const field = "paymentMethod.paymentMethodType";

/**
 * The connector that serves a method. The sandbox's wallet serves every method that no other names, and would take `GCASHH`
 * as well: a slip that only live would find. There it serves the methods that we know.
 */
function connectorOf(
  { environment, servedMethods, connectorFor }: MethodDirectory,
  type: string,
): string | undefined {
  const isMeant = environment !== "sandbox" || servedMethods().includes(type) || isKnownMethod(type);
  return isMeant ? connectorFor(type) : undefined;
}

function methodHint(directory: MethodDirectory, type: string): { readonly hint?: string } {
  if (directory.environment !== "sandbox") return {};
  const names = allTypes(directory);
  return {
    hint: `No wallet serves this payment method.${didYouMean(type, names)} Served are: ${names.join(", ")}.`,
  };
}

function didYouMean(type: string, served: readonly string[]): string {
  if (cardBrands.has(type.toUpperCase()) && served.includes("CARD"))
    return " Did you mean CARD? The buyer chooses the brand on the card page.";
  const nearest = nearestTo(type, served);
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}

/** Brands that other providers have as payment methods of their own. */
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
      return refuse("NO_PAY_OPTIONS", { field });
    case "CHANNEL_NOT_SUPPORT_CURRENCY":
      return refuse("CURRENCY_NOT_SUPPORT", { field: "paymentAmount.currency" });
    case "CHANNEL_DISABLE":
      return refuse("PAYMENT_METHOD_NOT_SUPPORTED", { field: "paymentFactor.captureMode" });
    case "SERVICE_DEGRADE":
      // Nothing was recorded, so the merchant may retry the same request.
      return refuse("UNAVAILABLE_PAYMENT_METHOD", { detail: unreachable });
  }
}

const unreachable = "The wallet does not answer just now. Nothing was recorded: send it again later.";

/** Whether it could be used at all, now or when its wallet answers again. */
export function isOffered({ disableReason }: PaymentOption): boolean {
  return disableReason === undefined || disableReason === "SERVICE_DEGRADE";
}

function allTypes({ servedMethods }: MethodDirectory): readonly string[] {
  const served = servedMethods();
  const named = served.filter((type) => type !== "*");
  return served.includes("*")
    ? [...named, ...knownWallets.map(({ paymentMethodType }) => paymentMethodType)]
    : named;
}

function optionOf(directory: MethodDirectory, asked: OptionsAsked, type: string): PaymentOption {
  const connector = connectorOf(directory, type);
  const currencies = connector === undefined ? [] : directory.termsOf(connector).currencies;
  return { ...methodOf(type), connector, currencies, disableReason: problemOf(directory, asked, connector) };
}

function problemOf(
  { termsOf, isReachable }: MethodDirectory,
  { currency, isHeld }: Pick<OptionsAsked, "currency" | "isHeld">,
  connector: string | undefined,
): DisableReason | undefined {
  if (connector === undefined) return "CURRENT_CHANNEL_NOT_EXIST";
  const { currencies, captures } = termsOf(connector);
  if (currencies.length > 0 && !currencies.includes(currency)) return "CHANNEL_NOT_SUPPORT_CURRENCY";
  if (isHeld && captures === "NONE") return "CHANNEL_DISABLE";
  return isReachable(connector) ? undefined : "SERVICE_DEGRADE";
}
