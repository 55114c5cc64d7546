import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";

export type PaymentStatus = Views["payment"]["response"]["payment"]["paymentStatus"];

export const tones: Readonly<Record<PaymentStatus, "happened" | "refused" | "unknown" | "quiet">> = {
  SUCCESS: "happened",
  FAIL: "refused",
  PROCESSING: "unknown",
  PENDING: "unknown",
  CANCELLED: "quiet",
};

export function StatusBadge({ status }: { readonly status: PaymentStatus }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className="status" data-tone={tones[status]} title={t(`paymentStatus.${status}Means`)}>
      {t(`paymentStatus.${status}`)}
    </span>
  );
}
