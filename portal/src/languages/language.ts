import { createInstance, type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import type { OperatorCatalogue } from "./english-operator.ts";
import type { Catalogue } from "./english.ts";

/** Each in its own words, and each in a file of its own that is fetched when it is needed. */
export const languages = { en: "English", zh: "中文" } as const;

export type Language = keyof typeof languages;

const catalogues: Readonly<Record<Language, () => Promise<Catalogue>>> = {
  en: async () => (await import("./english.ts")).english,
  zh: async () => (await import("./chinese.ts")).chinese,
};

const remembered = "tollgate-language";

/** Sentences that one of the two bundles has for itself, in a namespace of their own. */
type OwnSentences = Readonly<Record<Language, () => Promise<OperatorCatalogue>>>;

let own: OwnSentences | undefined;

export async function startLanguage(ownSentences?: OwnSentences): Promise<i18n> {
  own = ownSentences;
  const instance = createInstance();
  const language = firstLanguage();
  await instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    // React escapes by itself.
    interpolation: { escapeValue: false },
    resources: { [language]: { translation: await catalogues[language]() } },
  });
  await addOwn(instance, language);
  document.documentElement.lang = language;
  return instance;
}

export async function speak(instance: i18n, language: Language): Promise<void> {
  instance.addResourceBundle(language, "translation", await catalogues[language]());
  await addOwn(instance, language);
  await instance.changeLanguage(language);
  document.documentElement.lang = language;
  localStorage.setItem(remembered, language);
}

async function addOwn(instance: i18n, language: Language): Promise<void> {
  if (own) instance.addResourceBundle(language, "operator", await own[language]());
}

function firstLanguage(): Language {
  const wanted = [localStorage.getItem(remembered), ...navigator.languages].map((each) => each?.slice(0, 2));
  return wanted.find((each): each is Language => each !== undefined && each in languages) ?? "en";
}

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: Catalogue };
  }
}
