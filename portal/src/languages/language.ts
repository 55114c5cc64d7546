import { createInstance, type i18n } from "i18next";
import { initReactI18next } from "react-i18next";
import { catalogues, firstLanguage, rememberLanguage, type Catalogues, type Language } from "./catalogues.ts";
import type { OperatorCatalogue } from "./english-operator.ts";
import type { Catalogue } from "./english.ts";

/** Texts that only one of the two bundles (the operator console) needs, in a separate i18next namespace. */
let own: Catalogues<OperatorCatalogue> | undefined;

export async function startLanguage(ownSentences?: Catalogues<OperatorCatalogue>): Promise<i18n> {
  own = ownSentences;
  const instance = createInstance();
  const language = firstLanguage();
  await instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    // React escapes HTML already.
    interpolation: { escapeValue: false },
    resources: { [language]: { translation: await catalogues[language]() } },
  });
  await addOwn(instance, language);
  document.documentElement.lang = language;
  return instance;
}

export async function switchLanguage(instance: i18n, language: Language): Promise<void> {
  instance.addResourceBundle(language, "translation", await catalogues[language]());
  await addOwn(instance, language);
  await instance.changeLanguage(language);
  document.documentElement.lang = language;
  rememberLanguage(language);
}

async function addOwn(instance: i18n, language: Language): Promise<void> {
  if (own) instance.addResourceBundle(language, "operator", await own[language]());
}

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: Catalogue };
  }
}
