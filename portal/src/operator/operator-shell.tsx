import { AppShell, Burger, Group, NavLink, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Right } from "../../../server/src/people/role.ts";
import type { Environment } from "../api/environments.ts";
import { useCan } from "../session/me.ts";
import { Brand } from "../shell/brand.tsx";
import { EnvironmentSwitch, rememberedEnvironment, rememberEnvironment } from "../shell/environment.tsx";
import { Icon, type IconName } from "../shell/icons.tsx";
import { PersonMenu } from "../shell/person-menu.tsx";
import { PageLink } from "./operator-links.tsx";
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
          <PageLink to="/" className="brand">
            <Brand />
          </PageLink>
          <span className="operator-tag">{t("brand")}</span>
          <EnvironmentSwitch current={environment} />
          <Group ml="auto" gap="xs" wrap="nowrap">
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

interface Place {
  readonly below: string;
  readonly word: "board" | "payment" | "merchants" | "wallets" | "breaks" | "audit";
  readonly icon: IconName;
  readonly right: Right;
}

/** What a role may not see is not offered. */
const places: readonly Place[] = [
  { below: "", word: "board", icon: "board", right: "open-records.read" },
  { below: "/payment", word: "payment", icon: "payments", right: "payments.read" },
  { below: "/merchants", word: "merchants", icon: "organisation", right: "merchants.read" },
  { below: "/wallets", word: "wallets", icon: "wallets", right: "wallets.read" },
  { below: "/breaks", word: "breaks", icon: "breaks", right: "breaks.read" },
  { below: "/audit", word: "audit", icon: "audit", right: "audit.read" },
];

function Places({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useWords();
  const { t: shared } = useTranslation();
  const can = useCan(environment);
  const { pathname } = useLocation();
  const link = (path: string, label: string, icon: IconName, isExact = false): ReactNode => (
    <NavLink
      key={path}
      component={Link}
      to={path}
      label={label}
      leftSection={<Icon name={icon} />}
      active={isExact ? pathname === path : pathname.startsWith(path)}
      activeOptions={{ exact: isExact }}
    />
  );
  return (
    <nav aria-label={shared("shell.menu")}>
      <Text className="side-heading">{shared(`environments.${environment}`)}</Text>
      {places
        .filter(({ right }) => can(right))
        .map(({ below, word, icon }) =>
          link(`/${environment}${below}`, t(`places.${word}`), icon, below === ""),
        )}
      <Text className="side-heading">{t("places.installation")}</Text>
      {can("merchants.read") && link("/reviews", t("places.reviews"), "people")}
      {can("announcements.write") && link("/announcement", t("places.announcement"), "announcement")}
      {link("/security", t("places.security"), "security")}
    </nav>
  );
}
