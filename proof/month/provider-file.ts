/** A line of a provider's settlement file. */
export interface ProviderLine {
  readonly kind: "payment" | "refund" | "chargeback" | "fee" | "payout" | "adjustment";
  readonly reference: string;
  readonly operationReference: string;
  readonly paymentId: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly at: Date;
}

export function formatProviderFile(lines: readonly ProviderLine[]): string {
  const rows = lines.map(({ kind, reference, operationReference, paymentId, currency, minor, at }) =>
    [kind, reference, operationReference, paymentId, currency, minor, at.toISOString()].join(","),
  );
  return ["kind,reference,operationReference,paymentId,currency,amountMinor,time", ...rows, ""].join("\n");
}
