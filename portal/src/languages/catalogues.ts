import type { OperatorCatalogue } from "./english-operator.ts";
import type { Catalogue } from "./english.ts";

/** Languages by their own names. Each catalogue is a separate chunk that is loaded on demand. */
export const languages = { en: "English", zh: "中文" } as const;

export type Language = keyof typeof languages;

export type Catalogues<Sentences> = Readonly<Record<Language, () => Promise<Sentences>>>;

export const catalogues: Catalogues<Catalogue> = {
  en: async () => (await import("./english.ts")).english,
  zh: async () => (await import("./chinese.ts")).chinese,
};

/** Texts that only the operator console uses. */
export const operatorCatalogues: Catalogues<OperatorCatalogue> = {
  en: async () => (await import("./english-operator.ts")).englishOperator,
  zh: async () => (await import("./chinese-operator.ts")).chineseOperator,
};

const remembered = "tollgate-language";

export function firstLanguage(): Language {
  const wanted = [localStorage.getItem(remembered), ...navigator.languages].map((each) => each?.slice(0, 2));
  return wanted.find((each): each is Language => each !== undefined && each in languages) ?? "en";
}

export function rememberLanguage(language: Language): void {
  localStorage.setItem(remembered, language);
}
