import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatMoment, Moment } from "../components/moment.tsx";
import type { transactionTones } from "./transaction-tones.ts";

interface TimeProps {
  readonly status: keyof typeof transactionTones;
  readonly createdTime: string;
  /** The time to show if the transaction is not in progress. */
  readonly time: string | undefined;
}

/** The time of a capture, refund or cancel; while it is in progress, since when. */
export function TransactionTime({ status, createdTime, time }: TimeProps): ReactNode {
  const { t, i18n } = useTranslation();
  if (status === "PROCESSING")
    return t("lists.inProgressSince", { time: formatMoment(createdTime, i18n.language) });
  return time && <Moment at={time} />;
}

interface FailureProps {
  readonly succeededTime: string | undefined;
  readonly reversalTime: string | undefined;
}

/** The times of a refund or cancel that failed after it had succeeded; empty for all others. */
export function FailureAfterSuccess({ succeededTime, reversalTime }: FailureProps): ReactNode {
  const { t, i18n } = useTranslation();
  if (succeededTime === undefined || reversalTime === undefined) return undefined;
  const [failed, succeeded] = [reversalTime, succeededTime].map((at) => formatMoment(at, i18n.language));
  return <small>{t("lists.failedAfterSuccess", { failed, succeeded })}</small>;
}
