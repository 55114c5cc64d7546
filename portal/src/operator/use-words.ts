import { useTranslation } from "react-i18next";
import type { OperatorCatalogue } from "../languages/english-operator.ts";

/** Every key of the console's sentences, with dots. */
type KeysOf<Part, Above extends string = ""> = {
  [Key in keyof Part & string]: Part[Key] extends string
    ? `${Above}${Key}`
    : KeysOf<Part[Key], `${Above}${Key}.`>;
}[keyof Part & string];

export type OperatorKey = KeysOf<OperatorCatalogue>;

/**
 * The sentences of the console, in a namespace of their own. Its keys are checked here: with two namespaces the types of the library
 * are more than the compiler can work out.
 */
export function useWords(): { readonly t: (key: OperatorKey, values?: object) => string } {
  const { t } = useTranslation();
  const plain = t as unknown as (key: string, values: object) => string;
  return { t: (key, values = {}) => plain(key, { ...values, ns: "operator" }) };
}
