import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";

export type ChartData = Views["charts"]["response"];

interface Numbers {
  readonly formatCount: (value: number) => string;
  /** Short form for a scale: 12K. */
  readonly formatCompact: (value: number) => string;
  readonly percent: (share: number) => string;
  readonly formatTime: (time: string) => string;
}

/**
 * `useNumbers` formats numbers and times in the reader's language. Hours and days are in UTC, as the server counts
 * them.
 */
export function useNumbers(span: ChartData["span"]): Numbers {
  const { i18n } = useTranslation();
  const number = (options: Intl.NumberFormatOptions): ((value: number) => string) => {
    const format = new Intl.NumberFormat(i18n.language, options);
    return (value) => format.format(value);
  };
  const time = new Intl.DateTimeFormat(i18n.language, {
    timeZone: "UTC",
    month: "short",
    day: "numeric",
    ...(span === "hour" && { hour: "2-digit", minute: "2-digit" }),
  });
  return {
    formatCount: number({ maximumFractionDigits: 0 }),
    formatCompact: number({ notation: "compact", maximumFractionDigits: 1 }),
    percent: number({ style: "percent", maximumFractionDigits: 1 }),
    formatTime: (at) => time.format(new Date(at)),
  };
}
