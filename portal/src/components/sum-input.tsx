import { TextInput } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { parseTypedAmount, amountForInput, type Amount } from "./format-amount.ts";

interface Props {
  readonly start: Amount;
  readonly hint: string;
  readonly isFixed?: boolean;
  /** Called with undefined while the text is not a valid amount of the currency. */
  readonly onChange: (amount: Amount | undefined) => void;
}

/** An input for a decimal amount in the payment's currency. */
export function SumInput({ start, hint, isFixed = false, onChange }: Props): ReactNode {
  const { t } = useTranslation();
  const { currency } = start;
  const [typed, setTyped] = useState(amountForInput(start));
  return (
    <TextInput
      label={t("refund.amount", { currency })}
      description={hint}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        onChange(parseTypedAmount(value, currency));
      }}
      error={parseTypedAmount(typed, currency) ? undefined : t("refund.noAmount")}
      inputMode="decimal"
      readOnly={isFixed}
      data-autofocus
    />
  );
}
