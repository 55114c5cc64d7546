import type { SpotlightActionData } from "@mantine/spotlight";
import { useRouter } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { CommandPalette, usePaletteActions } from "../shell/command-palette.tsx";
import { Icon } from "../components/icons.tsx";
import { parseReference } from "../shell/typed-reference.ts";
import { useStaffDestinations } from "./console-destinations.ts";

/** The command palette of the console: all pages, any payment by one of its ids, and any payout by its reference. */
export function OperatorPalette({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useTranslation();
  const { history } = useRouter();
  const [typed, setTyped] = useState("");
  const { id, isPayout } = parseReference(typed);
  const destinationActions = useStaffDestinations(environment).map(
    ({ path, name, icon }): SpotlightActionData => ({
      id: path,
      label: name,
      leftSection: <Icon name={icon} />,
      onClick: () => history.push(path),
    }),
  );
  const otherEnvironment = environment === "live" ? "sandbox" : "live";
  const change: SpotlightActionData = {
    id: "other-environment",
    label: t(`palette.to-${otherEnvironment}`),
    leftSection: <Icon name="board" />,
    onClick: () => history.push(`/${otherEnvironment}`),
  };
  const searchAction: SpotlightActionData = {
    id: "look-up",
    label: t(isPayout ? "palette.payout" : "palette.payment", { id }),
    description: t(`environments.${environment}`),
    leftSection: <Icon name="search" />,
    // This action matches any typed text. The gateway decides whether the payment exists.
    keywords: [typed],
    onClick: () =>
      history.push(
        `/${environment}/${isPayout ? "payouts" : "payment"}?${new URLSearchParams({ of: id }).toString()}`,
      ),
  };
  return (
    <CommandPalette
      typed={typed}
      onTyped={setTyped}
      hint={t("palette.hint")}
      groups={[
        { group: t("palette.go"), actions: [...destinationActions, change] },
        { group: t("palette.do"), actions: usePaletteActions() },
        ...(id.length > 3 ? [{ group: t("palette.find"), actions: [searchAction] }] : []),
      ]}
    />
  );
}
