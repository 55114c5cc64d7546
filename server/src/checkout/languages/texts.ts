import type { en } from "./en.ts";

/** The plural forms of a text with a number, by Unicode's plural categories. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** All texts for buyers, in one language. */
export type Texts = { readonly [Name in keyof typeof en]: (typeof en)[Name] extends string ? string : Forms };
