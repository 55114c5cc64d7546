import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { minorDigits } from "../../../server/src/core/currency.ts";

interface Amount {
  readonly currency: string;
  /** In minor units. */
  readonly value: string;
}

/** An amount of money. How many digits a currency has says the server's table: browsers say how prices are usually shown. */
export function Sum({ amount }: { readonly amount: Amount | undefined }): ReactNode {
  const { i18n } = useTranslation();
  return amount && <span className="sum">{sumInWords(amount, i18n.language)}</span>;
}

export function sumInWords({ currency, value }: Amount, language: string): string {
  const digits = minorDigits(currency) ?? 0;
  const format = new Intl.NumberFormat(language, {
    style: "currency",
    currency,
    currencyDisplay: "code",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // As text, because a number has too few digits for some amounts.
  const padded = value.padStart(digits + 1, "0");
  const whole = padded.slice(0, padded.length - digits);
  const fraction = padded.slice(padded.length - digits);
  return format.format((digits === 0 ? whole : `${whole}.${fraction}`) as `${number}`);
}
