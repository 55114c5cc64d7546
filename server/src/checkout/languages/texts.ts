import type { en } from "./en.ts";

/** The forms of a text with a number, by Unicode's plural categories. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** All that a buyer can read, in one language. */
export type Texts = { readonly [Name in keyof typeof en]: (typeof en)[Name] extends string ? string : Forms };
