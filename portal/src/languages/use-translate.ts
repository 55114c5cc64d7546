import type { ParseKeys } from "i18next";
import { useTranslation } from "react-i18next";

export type Translate = (key: ParseKeys, values?: Readonly<Record<string, unknown>>) => string;

/** `useTranslate` returns `t` with a simpler type. With its own type, the compiler fails where `t` is passed to tables or functions. */
export function useTranslate(): Translate {
  return useTranslation().t as unknown as Translate;
}
