import { useTranslation } from "react-i18next";
import type { OperatorCatalogue } from "../languages/english-operator.ts";

/** All keys of the console's texts, joined with dots. */
type KeysOf<Part, Above extends string = ""> = {
  [Key in keyof Part & string]: Part[Key] extends string
    ? `${Above}${Key}`
    : KeysOf<Part[Key], `${Above}${Key}.`>;
}[keyof Part & string];

export type OperatorKey = KeysOf<OperatorCatalogue>;

/**
 * `useConsoleTexts` returns `t` for the console's texts, which are in a separate i18next namespace. The keys are typed here,
 * because the library's types for two namespaces are too complex for the compiler.
 */
export function useConsoleTexts(): { readonly t: (key: OperatorKey, values?: object) => string } {
  const { t } = useTranslation();
  const plain = t as unknown as (key: string, values: object) => string;
  return { t: (key, values = {}) => plain(key, { ...values, ns: "operator" }) };
}
