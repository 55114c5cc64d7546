import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";

export type Charted = Views["charts"]["response"];

interface Numbers {
  readonly whole: (value: number) => string;
  /** Short form for a scale: 12K. */
  readonly short: (value: number) => string;
  readonly percent: (share: number) => string;
  readonly timeOf: (time: string) => string;
}

/**
 * `useNumbers` formats numbers and times in the reader's language. Hours and days are in UTC, as the server counts
 * them.
 */
export function useNumbers(span: Charted["span"]): Numbers {
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
    whole: number({ maximumFractionDigits: 0 }),
    short: number({ notation: "compact", maximumFractionDigits: 1 }),
    percent: number({ style: "percent", maximumFractionDigits: 1 }),
    timeOf: (at) => time.format(new Date(at)),
  };
}
