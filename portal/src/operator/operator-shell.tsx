import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { loadEnvironment } from "../shell/environment.tsx";
import { Layout, Menu, useEnvironment } from "../shell/layout.tsx";
import { OperatorPalette } from "./operator-palette.tsx";
import { useStaffDestinations } from "./console-destinations.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

/** The layout of the console: a dark header in its own colour, and a band with the environment on every page. */
export function OperatorShell(): ReactNode {
  const { t } = useConsoleTexts();
  const environment = useEnvironment(true);
  const inMenu = environment ?? loadEnvironment();
  return (
    <Layout
      environment={environment}
      bar={{
        className: "operator-bar",
        burgerColor: "white",
        tag: <span className="operator-tag">{t("brand")}</span>,
      }}
      menuWidth={220}
      menu={<Navigation environment={inMenu} />}
      above={environment && <Band environment={environment} />}
      palette={<OperatorPalette environment={inMenu} />}
    >
      <Outlet />
    </Layout>
  );
}

interface Props {
  readonly environment: Environment;
}

function Band({ environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const { t: shared } = useTranslation();
  return (
    <div className="band" data-environment={environment}>
      <strong>{shared(`environments.${environment}`)}</strong>
      <span>{t(`means.${environment}`)}</span>
      <span className="watched">{t("act.watched")}</span>
    </div>
  );
}

function Navigation({ environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const { t: shared } = useTranslation();
  const headings = {
    environment: shared(`environments.${environment}`),
    installation: t("places.installation"),
  };
  return <Menu destinations={useStaffDestinations(environment)} headings={headings} />;
}
