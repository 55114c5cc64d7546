import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { sumInWords, type Amount } from "./sum-in-words.ts";

/** An amount of money. */
export function Sum({ amount }: { readonly amount: Amount | undefined }): ReactNode {
  const { i18n } = useTranslation();
  return amount && <span className="sum">{sumInWords(amount, i18n.language)}</span>;
}
