import { TextInput } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { fromTyped, toTyped, type Amount } from "./sum-in-words.ts";

interface Props {
  readonly start: Amount;
  readonly hint: string;
  readonly isFixed?: boolean;
  /** Undefined while what is typed is no amount of that currency. */
  readonly onChange: (amount: Amount | undefined) => void;
}

/** An amount of a payment's currency, typed as people write it. */
export function SumInput({ start, hint, isFixed = false, onChange }: Props): ReactNode {
  const { t } = useTranslation();
  const { currency } = start;
  const [typed, setTyped] = useState(toTyped(start));
  return (
    <TextInput
      label={t("refund.amount", { currency })}
      description={hint}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        onChange(fromTyped(value, currency));
      }}
      error={fromTyped(typed, currency) ? undefined : t("refund.noAmount")}
      inputMode="decimal"
      readOnly={isFixed}
      data-autofocus
    />
  );
}
