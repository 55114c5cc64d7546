import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";

export type DisplayStatus = Views["payment"]["response"]["payment"]["displayStatus"];

export const paymentStatusTones: Readonly<
  Record<DisplayStatus, "happened" | "refused" | "unknown" | "quiet">
> = {
  PAID: "happened",
  PARTLY_REFUNDED: "unknown",
  REFUNDED: "quiet",
  DISPUTED: "unknown",
  DISPUTE_LOST: "refused",
  AUTHORIZED: "unknown",
  RELEASED: "quiet",
  PROCESSING: "unknown",
  PENDING: "unknown",
  FAIL: "refused",
  CANCELLED: "quiet",
};

export function PaymentStatusBadge({ status }: { readonly status: DisplayStatus }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className="status" data-tone={paymentStatusTones[status]} title={t(`paymentStatus.${status}Means`)}>
      {t(`paymentStatus.${status}`)}
    </span>
  );
}
