import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from "@mantine/spotlight";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { languages, type Language } from "../languages/catalogues.ts";
import { switchLanguage } from "../languages/language.ts";
import { useSignOut } from "../session/use-sign-out.ts";
import { Icon } from "../components/icons.tsx";
import { useColourSchemeToggle } from "./person-menu.tsx";

interface Props {
  readonly typed: string;
  readonly onTyped: (typed: string) => void;
  readonly hint: string;
  readonly groups: SpotlightActionGroupData[];
}

/** The command palette component of the portal and the operator console. */
export function CommandPalette({ typed, onTyped, hint, groups }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <Spotlight
      attributes={{ content: { "aria-label": t("palette.open") } }}
      actions={groups}
      query={typed}
      onQueryChange={onTyped}
      shortcut={["mod + K", "/"]}
      nothingFound={t("palette.nothing")}
      searchProps={{ placeholder: hint, leftSection: <Icon name="search" /> }}
      highlightQuery
      scrollable
      maxHeight={420}
    />
  );
}

/** `usePaletteActions` returns the actions of every page: change colours or language, and sign out. */
export function usePaletteActions(): SpotlightActionData[] {
  const { t, i18n } = useTranslation();
  const scheme = useColourSchemeToggle();
  const signOut = useSignOut();
  const languageActions = (Object.keys(languages) as Language[])
    .filter((language) => language !== i18n.language)
    .map((language) => ({
      id: language,
      label: languages[language],
      leftSection: <Icon name="language" />,
      onClick: () => void switchLanguage(i18n, language),
    }));
  return [
    {
      id: "scheme",
      label: t(`shell.${scheme.opposite}`),
      leftSection: <Icon name={scheme.opposite} />,
      onClick: scheme.change,
    },
    ...languageActions,
    { id: "sign-out", label: t("shell.signOut"), leftSection: <Icon name="leave" />, onClick: signOut },
  ];
}
