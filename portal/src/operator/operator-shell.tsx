import { AppShell, Burger, Group, NavLink, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { Brand } from "../shell/brand.tsx";
import { EnvironmentSwitch, rememberedEnvironment, rememberEnvironment } from "../shell/environment.tsx";
import { Icon } from "../shell/icons.tsx";
import { PersonMenu } from "../shell/person-menu.tsx";
import { SearchButton } from "../shell/search-button.tsx";
import { PageLink } from "./operator-links.tsx";
import { OperatorPalette } from "./operator-palette.tsx";
import { useStaffPlaces, type StaffDestination } from "./staff-places.ts";
import { useWords } from "./use-words.ts";

/** The frame of the console: dark at the top, in a colour of its own, with the environment in every page's band. */
export function OperatorShell(): ReactNode {
  const { t } = useWords();
  const { t: shared } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  const environment = useEnvironment();
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a href="#main" className="skip">
        {shared("shell.skip")}
      </a>
      <AppShell.Header className="operator-bar">
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            color="white"
            aria-label={shared("shell.menu")}
          />
          <PageLink to="/" className="brand" label="Tollgate">
            <Brand />
          </PageLink>
          <span className="operator-tag">{t("brand")}</span>
          <EnvironmentSwitch current={environment} />
          <Group ml="auto" gap="xs" wrap="nowrap">
            <SearchButton />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className="side">
        <Places environment={environment ?? rememberedEnvironment()} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        {environment && (
          <div className="band" data-environment={environment}>
            <strong>{shared(`environments.${environment}`)}</strong>
            <span>{t(`means.${environment}`)}</span>
            <span className="watched">{t("act.watched")}</span>
          </div>
        )}
        <div className="page">
          <Outlet />
        </div>
      </AppShell.Main>
      <OperatorPalette environment={environment ?? rememberedEnvironment()} />
    </AppShell>
  );
}

function useEnvironment(): Environment | undefined {
  const { environment: word } = useParams({ strict: false });
  const environment = word === "sandbox" || word === "live" ? word : undefined;
  useEffect(() => {
    if (environment) rememberEnvironment(environment);
  }, [environment]);
  return environment;
}

function Places({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useWords();
  const { t: shared } = useTranslation();
  const places = useStaffPlaces(environment);
  const { pathname } = useLocation();
  const links = (group: StaffDestination["group"]): ReactNode =>
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
    <nav aria-label={shared("shell.menu")}>
      <Text className="side-heading">{shared(`environments.${environment}`)}</Text>
      {links("environment")}
      <Text className="side-heading">{t("places.installation")}</Text>
      {links("installation")}
    </nav>
  );
}
