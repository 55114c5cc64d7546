import {
  Spotlight,
  spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from "@mantine/spotlight";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { languages, speak, type Language } from "../languages/language.ts";
import { useSavedViews } from "../saved-views/use-saved-views.ts";
import { useCan } from "../session/me.ts";
import { useSignOut } from "../session/use-sign-out.ts";
import { Icon } from "./icons.tsx";
import { useOtherScheme } from "./person-menu.tsx";
import { usePlaces } from "./places.ts";

export const openPalette = (): void => spotlight.open();

/** The command palette: every place and every act of the shell from the keyboard, and any payment by an id of it. */
export function Palette({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const id = typed.trim();
  const canSee = useCan(environment)("payments.read");
  const lookUp: SpotlightActionData = {
    id: "look-up",
    label: t("palette.payment", { id }),
    description: t(`environments.${environment}`),
    leftSection: <Icon name="search" />,
    // Fits whatever was typed: whether there is such a payment, the gateway knows.
    keywords: [typed],
    onClick: () =>
      void navigate({ to: "/$environment/payments/$paymentId", params: { environment, paymentId: id } }),
  };
  const groups: SpotlightActionGroupData[] = [
    { group: t("palette.go"), actions: useGoing(environment) },
    { group: t("palette.saved"), actions: useSaved() },
    { group: t("palette.do"), actions: useDoing() },
    ...(canSee && id.length > 3 ? [{ group: t("palette.find"), actions: [lookUp] }] : []),
  ];
  return (
    <Spotlight
      attributes={{ content: { "aria-label": t("palette.open") } }}
      actions={groups}
      query={typed}
      onQueryChange={setTyped}
      shortcut={["mod + K", "/"]}
      nothingFound={t("palette.nothing")}
      searchProps={{ placeholder: t("palette.hint"), leftSection: <Icon name="search" /> }}
      highlightQuery
      scrollable
      maxHeight={420}
    />
  );
}

function useGoing(environment: Environment): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const other = environment === "live" ? "sandbox" : "live";
  const places = usePlaces(environment).map(({ path, name, icon }) => ({
    id: path,
    label: name,
    leftSection: <Icon name={icon} />,
    onClick: () => void navigate({ to: path }),
  }));
  const change = {
    id: "other-environment",
    label: t(`palette.to-${other}`),
    leftSection: <Icon name="overview" />,
    onClick: () => void navigate({ to: "/$environment", params: { environment: other } }),
  };
  return [...places, change];
}

function useSaved(): SpotlightActionData[] {
  const navigate = useNavigate();
  return useSavedViews().map(({ name, address }) => ({
    id: `saved ${name}`,
    label: name,
    description: address,
    leftSection: <Icon name="saved" />,
    onClick: () => void navigate({ href: address }),
  }));
}

function useDoing(): SpotlightActionData[] {
  const { t, i18n } = useTranslation();
  const scheme = useOtherScheme();
  const signOut = useSignOut();
  const speaking = (Object.keys(languages) as Language[])
    .filter((language) => language !== i18n.language)
    .map((language) => ({
      id: language,
      label: languages[language],
      leftSection: <Icon name="language" />,
      onClick: () => void speak(i18n, language),
    }));
  return [
    {
      id: "scheme",
      label: t(`shell.${scheme.other}`),
      leftSection: <Icon name={scheme.other} />,
      onClick: scheme.change,
    },
    ...speaking,
    { id: "sign-out", label: t("shell.signOut"), leftSection: <Icon name="leave" />, onClick: signOut },
  ];
}
