import type { SpotlightActionData } from "@mantine/spotlight";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { useSavedViews } from "../saved-views/use-saved-views.ts";
import { useCan } from "../session/me.ts";
import { CommandPalette, usePaletteActions } from "./command-palette.tsx";
import { Icon } from "../components/icons.tsx";
import { useDestinations } from "./portal-destinations.ts";
import { parseReference } from "./typed-reference.ts";

/**
 * The command palette of the portal: all pages and actions, any payment by one of its ids, and any payout by its
 * reference.
 */
export function Palette({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const { id, isPayout } = parseReference(typed);
  const canSee = useCan(environment)(isPayout ? "balance.read" : "payments.read");
  const searchAction: SpotlightActionData = {
    id: "look-up",
    label: t(isPayout ? "palette.payout" : "palette.payment", { id }),
    description: t(`environments.${environment}`),
    leftSection: <Icon name="search" />,
    // This action matches any typed text. The gateway decides whether the payment exists.
    keywords: [typed],
    onClick: () =>
      void (isPayout
        ? navigate({ to: "/$environment/balance/$batchId", params: { environment, batchId: id } })
        : navigate({ to: "/$environment/payments/$paymentId", params: { environment, paymentId: id } })),
  };
  return (
    <CommandPalette
      typed={typed}
      onTyped={setTyped}
      hint={t("palette.hint")}
      groups={[
        { group: t("palette.go"), actions: useDestinationActions(environment) },
        { group: t("palette.saved"), actions: useSavedViewActions() },
        { group: t("palette.do"), actions: usePaletteActions() },
        ...(canSee && id.length > 3 ? [{ group: t("palette.find"), actions: [searchAction] }] : []),
      ]}
    />
  );
}

function useDestinationActions(environment: Environment): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const otherEnvironment = environment === "live" ? "sandbox" : "live";
  const destinationActions = useDestinations(environment).map(({ path, name, icon }) => ({
    id: path,
    label: name,
    leftSection: <Icon name={icon} />,
    onClick: () => void navigate({ to: path }),
  }));
  const change = {
    id: "other-environment",
    label: t(`palette.to-${otherEnvironment}`),
    leftSection: <Icon name="overview" />,
    onClick: () => void navigate({ to: "/$environment", params: { environment: otherEnvironment } }),
  };
  return [...destinationActions, change];
}

function useSavedViewActions(): SpotlightActionData[] {
  const navigate = useNavigate();
  return useSavedViews().map(({ name, address }) => ({
    id: `saved ${name}`,
    label: name,
    description: address,
    leftSection: <Icon name="saved" />,
    onClick: () => void navigate({ href: address }),
  }));
}
