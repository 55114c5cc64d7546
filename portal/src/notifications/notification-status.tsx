import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";

type Status = Views["notifications"]["response"]["notifications"][number]["notificationStatus"];

const tones: Readonly<Record<Status, "happened" | "refused" | "unknown" | "quiet">> = {
  DELIVERED: "happened",
  WAITING: "unknown",
  EXHAUSTED: "refused",
  UNSENT: "quiet",
};

export const notificationStatuses = Object.keys(tones) as Status[];

export function NotificationStatus({ status }: { readonly status: Status }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className="status" data-tone={tones[status]}>
      {t(`notificationStatus.${status}`)}
    </span>
  );
}
