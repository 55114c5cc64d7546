/** A line of a provider's settlement file. */
export interface ProviderLine {
  readonly kind:
    | "payment"
    | "capture"
    | "refund"
    | "refund_reversal"
    | "chargeback"
    | "fee"
    | "payout"
    | "adjustment";
  readonly reference: string;
  readonly operationReference: string;
  readonly paymentId: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly at: Date;
}

export function formatProviderFile(lines: readonly ProviderLine[]): string {
  const rows = lines.map(({ kind, reference, operationReference, paymentId, currency, minor, at }) =>
    [kind, reference, operationReference, paymentId, currency, minor, at.toISOString(), "", "", "", ""].join(
      ",",
    ),
  );
  const header =
    "kind,reference,operationReference,paymentId,currency,amountMinor,time,feeCurrency,feeMinor,payoutId,valueDate";
  return [header, ...rows, ""].join("\n");
}
