import { Skeleton } from "@mantine/core";
import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { SavedViews } from "../saved-views/saved-views.tsx";
import { findOrganisation, useMe } from "../session/me.ts";
import { Announcement } from "./announcement.tsx";
import { EnvironmentBand, loadEnvironment } from "./environment.tsx";
import { Layout, Menu, useEnvironment } from "./layout.tsx";
import { OrganisationSwitch } from "./organisation-switch.tsx";
import { Palette } from "./palette.tsx";
import { useDestinations } from "./portal-destinations.ts";

/** The layout of the portal's pages: menu, environment, organisation and person. */
export function Shell(): ReactNode {
  const isLiveOpen = findOrganisation(useMe())?.isLive === true;
  const environment = useEnvironment(isLiveOpen);
  const inMenu = environment ?? loadEnvironment();
  return (
    <Layout
      environment={environment}
      bar={{ className: "bar" }}
      menuWidth={232}
      menu={
        <>
          <OrganisationSwitch />
          <Destinations environment={inMenu} />
          <SavedViews />
        </>
      }
      above={
        <>
          {environment && <EnvironmentBand environment={environment} />}
          <Announcement />
        </>
      }
      palette={<Palette environment={inMenu} />}
    >
      {environment === "live" && !isLiveOpen ? <GoLiveNotice /> : <Outlet />}
    </Layout>
  );
}

const GoLive = lazy(async () => ({ default: (await import("../go-live/go-live-page.tsx")).GoLivePage }));

/** Before the review is approved, live has only the page for going live. */
function GoLiveNotice(): ReactNode {
  return (
    <Suspense fallback={<Skeleton height={240} />}>
      <GoLive />
    </Suspense>
  );
}

function Destinations({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useTranslation();
  const headings = { environment: t(`environments.${environment}`), organisation: t("shell.organisation") };
  return <Menu destinations={useDestinations(environment)} headings={headings} />;
}
