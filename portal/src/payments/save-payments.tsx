import type { ReactNode } from "react";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { SaveButton } from "../export/save-button.tsx";
import type { Views } from "../generated/console.ts";
import { amountForInput, type Amount } from "../components/format-amount.ts";

type Payment = Views["payments"]["response"]["payments"][number];

/** The CSV columns. Names are those of the API, so that a file is the same in every language. */
const columns: readonly (readonly [name: string, cell: (payment: Payment) => string | undefined])[] = [
  ["paymentId", ({ paymentId }) => paymentId],
  ["paymentRequestId", ({ paymentRequestId }) => paymentRequestId],
  ["referenceOrderId", ({ referenceOrderId }) => referenceOrderId],
  ["paymentStatus", ({ paymentStatus }) => paymentStatus],
  ["displayStatus", ({ displayStatus }) => displayStatus],
  ["paymentResultCode", ({ paymentResultCode }) => paymentResultCode],
  ["currency", ({ paymentAmount }) => paymentAmount?.currency],
  ["amount", ({ paymentAmount }) => decimal(paymentAmount)],
  ["paidCurrency", ({ actualPaymentAmount }) => actualPaymentAmount?.currency],
  ["paidAmount", ({ actualPaymentAmount }) => decimal(actualPaymentAmount)],
  ["capturedAmount", ({ capturedAmount }) => decimal(capturedAmount)],
  ["refundedAmount", ({ refundedAmount }) => decimal(refundedAmount)],
  ["disputedAmount", ({ disputedAmount }) => decimal(disputedAmount)],
  ["keptAmount", ({ keptAmount }) => decimal(keptAmount)],
  ["paymentMethodType", ({ paymentMethodType }) => paymentMethodType],
  ["provider", ({ provider }) => provider],
  ["productCode", ({ productCode }) => productCode],
  ["orderDescription", ({ orderDescription }) => orderDescription],
  ["paymentCreateTime", ({ paymentCreateTime }) => paymentCreateTime],
  ["paymentTime", ({ paymentTime }) => paymentTime],
];

/**
 * The amount in major units with all digits of the currency and a decimal point, in every language: 12.50, 1250,
 * 1.250.
 */
function decimal(amount: Amount | undefined): string | undefined {
  return amount && amountForInput(amount);
}

interface Props {
  readonly scope: ClientScope;
  readonly filter: Views["payments"]["request"];
}

/** The gateway's maximum page size. */
const pageRows = 250;

export function SavePayments({ scope, filter }: Props): ReactNode {
  const today = new Date().toISOString().slice(0, 10);
  return (
    <SaveButton<Payment>
      source={{
        file: `payments-${scope.environment}-${today}.csv`,
        head: columns.map(([name]) => name),
        cells: (payment) => columns.map(([, cell]) => cell(payment) ?? ""),
        fetchPage: async (cursor) => {
          const request = { ...filter, limit: pageRows, ...(cursor && { cursor }) };
          const { payments, nextCursor } = await queryView(scope, "payments", request);
          return { rows: payments, nextCursor };
        },
      }}
      readTime={({ paymentCreateTime }) => paymentCreateTime}
    />
  );
}
