import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";

type Status = Views["settlements"]["response"]["settlements"][number]["status"];

const tones = { DUE: "unknown", CARRIED: "quiet", PAYING: "unknown", PAID: "happened" } as const;

/** The status of a settlement batch. */
export function SettlementBadge({
  settlement: { status },
}: {
  readonly settlement: { readonly status: Status };
}): ReactNode {
  const { t } = useTranslation();
  return (
    <span className="status" data-tone={tones[status]}>
      {t(`lists.settlement.status.${status}`)}
    </span>
  );
}
