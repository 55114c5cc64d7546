import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatAmount, type Amount } from "./format-amount.ts";

interface Props {
  readonly amount: Amount | undefined;
  /** True for a change, which is shown with its sign. */
  readonly isSigned?: boolean;
}

/** An amount of money. */
export function Sum({ amount, isSigned = false }: Props): ReactNode {
  const { i18n } = useTranslation();
  return amount && <span className="sum">{formatAmount(amount, i18n.language, isSigned)}</span>;
}
