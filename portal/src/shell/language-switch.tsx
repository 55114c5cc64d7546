import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { languages, type Language } from "../languages/catalogues.ts";
import { switchLanguage } from "../languages/language.ts";

/** Offers the other languages by their own names. */
export function LanguageSwitch(): ReactNode {
  const { i18n } = useTranslation();
  const otherLanguages = (Object.keys(languages) as Language[]).filter(
    (language) => language !== i18n.language,
  );
  return otherLanguages.map((language) => (
    <Button
      key={language}
      lang={language}
      variant="subtle"
      size="compact-sm"
      onClick={() => void switchLanguage(i18n, language)}
    >
      {languages[language]}
    </Button>
  ));
}
