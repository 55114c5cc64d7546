import type { OrderDetails } from "../providers/order-details.ts";
import type { Payment } from "./payment.ts";

/** The details of a card that a merchant sees, under the names of the merchants' interface. */
export interface PaymentResultInfo {
  readonly cardBrand?: string;
  readonly lastFour?: string;
  readonly refusalCodeRaw?: string;
  readonly avsResultRaw?: string;
  readonly cvvResultRaw?: string;
  readonly networkTransactionId?: string;
  readonly threeDSResult?: {
    readonly threeDSVersion?: string;
    readonly threeDSOutcome?: string;
    readonly isLiabilityShifted?: boolean;
  };
}

/** `parseProviderDetails` returns the stored details of a payment's order; undefined if there are none. */
export function parseProviderDetails({
  providerDetails,
}: Pick<Payment, "providerDetails">): OrderDetails | undefined {
  return providerDetails === undefined ? undefined : (JSON.parse(providerDetails) as OrderDetails);
}

/** `returnResultInfo` returns the field `paymentResultInfo` of a message to the merchant, or no field. */
export function returnResultInfo(payment: Pick<Payment, "providerDetails" | "status">): {
  readonly paymentResultInfo?: PaymentResultInfo;
} {
  const details = parseProviderDetails(payment);
  const paymentResultInfo = details && resultInfoOf(payment, details);
  return paymentResultInfo ? { paymentResultInfo } : {};
}

/**
 * `resultInfoOf` returns the details that a merchant sees; undefined if there are none. The provider's fee and value
 * date are not among them: they are between the operator and the provider. The issuer's code is that of a refusal, so
 * only a failed payment has it.
 */
export function resultInfoOf(
  { status }: Pick<Payment, "status">,
  details: OrderDetails,
): PaymentResultInfo | undefined {
  const { threeDSecure = {}, issuerResultCode } = details;
  const threeDSResult = defined({
    threeDSVersion: threeDSecure.version,
    threeDSOutcome: threeDSecure.outcome,
    isLiabilityShifted: threeDSecure.isLiabilityShifted,
  });
  return defined({
    cardBrand: details.cardBrand,
    lastFour: details.cardLastFour,
    refusalCodeRaw: status === "FAIL" ? issuerResultCode : undefined,
    avsResultRaw: details.avsResult,
    cvvResultRaw: details.cvcResult,
    networkTransactionId: details.networkTransactionId,
    threeDSResult,
  });
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** `defined` returns the fields that have a value; undefined if there is none. */
function defined<Fields extends object>(fields: Fields): Defined<Fields> | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length > 0 ? (Object.fromEntries(entries) as Defined<Fields>) : undefined;
}
