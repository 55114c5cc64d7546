import { AppShell, Burger, Group, NavLink, Skeleton, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { SavedViews } from "../saved-views/saved-views.tsx";
import { organisationOf, useMe } from "../session/me.ts";
import { Announcement } from "./announcement.tsx";
import { Brand } from "./brand.tsx";
import {
  EnvironmentBand,
  EnvironmentSwitch,
  rememberedEnvironment,
  rememberEnvironment,
} from "./environment.tsx";
import { Icon } from "./icons.tsx";
import { OrganisationSwitch } from "./organisation-switch.tsx";
import { Palette } from "./palette.tsx";
import { PersonMenu } from "./person-menu.tsx";
import { SearchButton } from "./search-button.tsx";
import { usePlaces, type Destination } from "./places.ts";
import { LinkAnchor } from "./links.tsx";

/** The frame of all pages inside: where one is, for whom, and what else there is. */
export function Shell(): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  const environment = useEnvironment();
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a href="#main" className="skip">
        {t("shell.skip")}
      </a>
      <AppShell.Header className="bar">
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t("shell.menu")} />
          <LinkAnchor to="/" className="brand" aria-label="Tollgate">
            <Brand />
          </LinkAnchor>
          <EnvironmentSwitch current={environment} />
          <Group ml="auto" gap="xs" wrap="nowrap">
            <SearchButton />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className="side">
        <OrganisationSwitch />
        <Destinations environment={environment ?? rememberedEnvironment()} />
        <SavedViews />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        {environment && <EnvironmentBand environment={environment} />}
        <Announcement />
        <div className="page">{environment === "live" ? <OnlyOnceLive /> : <Outlet />}</div>
      </AppShell.Main>
      <Palette environment={environment ?? rememberedEnvironment()} />
    </AppShell>
  );
}

/** The environment of the address. Pages about the organisation have none. */
function useEnvironment(): Environment | undefined {
  const { environment: word } = useParams({ strict: false });
  // An address that is nobody's may have any word in this place.
  const environment = word === "sandbox" || word === "live" ? word : undefined;
  const organisation = organisationOf(useMe());
  const isOpen = environment !== "live" || organisation?.isLive === true;
  useEffect(() => {
    if (environment && isOpen) rememberEnvironment(environment);
  }, [environment, isOpen]);
  return environment;
}

const GoLive = lazy(async () => ({ default: (await import("../go-live/go-live-page.tsx")).GoLivePage }));

/** Live opens after a review; until then its one page leads there. */
function OnlyOnceLive(): ReactNode {
  const organisation = organisationOf(useMe());
  if (organisation?.isLive) return <Outlet />;
  return (
    <Suspense fallback={<Skeleton height={240} />}>
      <GoLive />
    </Suspense>
  );
}

function Destinations({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useTranslation();
  const places = usePlaces(environment);
  const { pathname } = useLocation();
  const links = (group: Destination["group"]): ReactNode =>
    places
      .filter((place) => place.group === group)
      .map(({ path, name, icon, isExact }) => (
        <NavLink
          key={path}
          component={Link}
          to={path}
          label={name}
          leftSection={<Icon name={icon} />}
          active={isExact ? pathname === path : pathname.startsWith(path)}
          activeOptions={{ exact: isExact }}
        />
      ));
  return (
    <nav aria-label={t("shell.menu")}>
      <Text className="side-heading">{t(`environments.${environment}`)}</Text>
      {links("environment")}
      <Text className="side-heading">{t("shell.organisation")}</Text>
      {links("organisation")}
    </nav>
  );
}
