import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Sum } from "../components/sum.tsx";

interface Props {
  readonly currency: string;
  readonly fee: { readonly gross: string; readonly fee: string; readonly tax: string };
}

/** Gross amount, fee and tax of a movement. Shows nothing if there is no fee. */
export function FeeSummary({ currency, fee: { gross, fee, tax } }: Props): ReactNode {
  const { t } = useTranslation();
  if (fee === "0" && tax === "0") return undefined;
  return (
    <small>
      <Sum amount={{ currency, value: gross }} isSigned /> {t("lists.settlement.less")}{" "}
      <Sum amount={{ currency, value: String(BigInt(fee) + BigInt(tax)) }} isSigned />
    </small>
  );
}
