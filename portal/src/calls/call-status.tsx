import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";

type Call = Views["calls"]["response"]["calls"][number];

const tones = { S: "happened", F: "refused", U: "unknown" } as const;

/** The result code in the colour of its result status. */
export function CallStatus({
  call,
}: {
  readonly call: Pick<Call, "resultCode" | "resultStatus">;
}): ReactNode {
  return (
    <span className="status" data-tone={tones[call.resultStatus]}>
      {call.resultCode}
    </span>
  );
}

export function UnverifiedCaller(): ReactNode {
  const { t } = useTranslation();
  return (
    <span className="status" data-tone="unknown" title={t("calls.unprovenMeans")}>
      {t("calls.unproven")}
    </span>
  );
}
