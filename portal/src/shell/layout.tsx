import { AppShell, Burger, Group, NavLink, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, useLocation, useParams } from "@tanstack/react-router";
import { Fragment, useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { Icon } from "../components/icons.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { Brand } from "./brand.tsx";
import { EnvironmentSwitch, storeEnvironment } from "./environment.tsx";
import { PersonMenu } from "./person-menu.tsx";
import type { Destination } from "./portal-destinations.ts";
import { SearchButton } from "./search-button.tsx";

interface Props {
  readonly environment: Environment | undefined;
  readonly bar: { readonly className: string; readonly burgerColor?: string; readonly tag?: ReactNode };
  readonly menu: ReactNode;
  readonly menuWidth: number;
  /** The band of the environment and announcements, above the page. */
  readonly above: ReactNode;
  readonly palette: ReactNode;
  readonly children: ReactNode;
}

/** The layout of all pages after sign-in, of the portal and the operator console. */
export function Layout({ environment, bar, menu, menuWidth, above, palette, children }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: menuWidth, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a href="#main" className="skip">
        {t("shell.skip")}
      </a>
      <AppShell.Header className={bar.className}>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            {...(bar.burgerColor && { color: bar.burgerColor })}
            aria-label={t("shell.menu")}
          />
          <LinkAnchor to="/" className="brand" aria-label="Tollgate">
            <Brand />
          </LinkAnchor>
          {bar.tag}
          <EnvironmentSwitch current={environment} />
          <Group ml="auto" gap="xs" wrap="nowrap">
            <SearchButton />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className="side">
        {menu}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        {above}
        <div className="page">{children}</div>
      </AppShell.Main>
      {palette}
    </AppShell>
  );
}

/**
 * `useEnvironment` returns the environment of the URL and remembers it if it is available. Pages about the
 * organisation have no environment.
 */
export function useEnvironment(isLiveOpen: boolean): Environment | undefined {
  const { environment: environmentName } = useParams({ strict: false });
  // An unknown URL can have any word at this position.
  const environment =
    environmentName === "sandbox" || environmentName === "live" ? environmentName : undefined;
  const isOpen = environment !== "live" || isLiveOpen;
  useEffect(() => {
    if (environment && isOpen) storeEnvironment(environment);
  }, [environment, isOpen]);
  return environment;
}

interface MenuProps<Group extends string> {
  readonly destinations: readonly Destination<Group>[];
  /** The headings of the groups in menu order. */
  readonly headings: Readonly<Record<Group, string>>;
}

export function Menu<Group extends string>({ destinations, headings }: MenuProps<Group>): ReactNode {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  return (
    <nav aria-label={t("shell.menu")}>
      {Object.entries<string>(headings).map(([group, heading]) => (
        <Fragment key={group}>
          <Text className="side-heading">{heading}</Text>
          {destinations
            .filter((destination) => destination.group === group)
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
            ))}
        </Fragment>
      ))}
    </nav>
  );
}
