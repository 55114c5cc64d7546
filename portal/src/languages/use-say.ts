import type { ParseKeys } from "i18next";
import { useTranslation } from "react-i18next";

export type Say = (key: ParseKeys, values?: Readonly<Record<string, unknown>>) => string;

/** `t` for tables and for functions that are given it: its own type is so general that the compiler gives up on it there. */
export function useSay(): Say {
  return useTranslation().t as unknown as Say;
}
