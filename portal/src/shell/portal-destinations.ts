import { useTranslation } from "react-i18next";
import type { Permission } from "../../../server/src/people/role.ts";
import type { Environment } from "../api/environments.ts";
import type { Catalogue } from "../languages/english.ts";
import { useCan } from "../session/me.ts";
import type { IconName } from "../components/icons.tsx";

type Group = "environment" | "organisation";

/** A link of the menu and of the command palette. */
export interface Destination<GroupName extends string> {
  readonly group: GroupName;
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  /** True if the link is active only on its own page, and not on pages below it. */
  readonly isExact: boolean;
}

interface NavigationItem {
  readonly group: Group;
  readonly pathSuffix: string;
  readonly textKey: keyof Catalogue["places"];
  readonly permission?: Permission;
  /** The only environment that has the page; undefined if both have it. */
  readonly only?: Environment;
}

/** The pages of the portal for menu and command palette. Pages that the role may not see are left out. */
const navigationItems: readonly NavigationItem[] = [
  { group: "environment", pathSuffix: "", textKey: "overview" },
  { group: "environment", pathSuffix: "/payments", textKey: "payments", permission: "payments.read" },
  { group: "environment", pathSuffix: "/refunds", textKey: "refunds", permission: "payments.read" },
  { group: "environment", pathSuffix: "/captures", textKey: "captures", permission: "payments.read" },
  { group: "environment", pathSuffix: "/disputes", textKey: "disputes", permission: "disputes.read" },
  { group: "environment", pathSuffix: "/charts", textKey: "charts", permission: "payments.read" },
  { group: "environment", pathSuffix: "/balance", textKey: "balance", permission: "balance.read" },
  {
    group: "environment",
    pathSuffix: "/authorizations",
    textKey: "authorizations",
    permission: "payments.read",
  },
  { group: "environment", pathSuffix: "/stores", textKey: "stores", permission: "stores.read" },
  { group: "environment", pathSuffix: "/checkout-page", textKey: "brand", permission: "stores.read" },
  {
    group: "environment",
    pathSuffix: "/notifications",
    textKey: "notifications",
    permission: "notifications.read",
  },
  { group: "environment", pathSuffix: "/calls", textKey: "calls", permission: "calls.read" },
  { group: "environment", pathSuffix: "/try", textKey: "try", permission: "sandbox.steer", only: "sandbox" },
  {
    group: "environment",
    pathSuffix: "/tools",
    textKey: "tools",
    permission: "sandbox.steer",
    only: "sandbox",
  },
  { group: "environment", pathSuffix: "/keys", textKey: "keys", permission: "keys.read" },
  { group: "organisation", pathSuffix: "/people", textKey: "people", permission: "people.read" },
  { group: "organisation", pathSuffix: "/approvals", textKey: "approvals" },
  { group: "organisation", pathSuffix: "/audit", textKey: "audit", permission: "audit.read" },
  { group: "organisation", pathSuffix: "/security", textKey: "security" },
];

export function useDestinations(environment: Environment): readonly Destination<Group>[] {
  const { t } = useTranslation();
  const can = useCan(environment);
  return navigationItems
    .filter(
      ({ permission, only = environment }) =>
        only === environment && (permission === undefined || can(permission)),
    )
    .map(({ group, pathSuffix, textKey }) => ({
      group,
      path: group === "environment" ? `/${environment}${pathSuffix}` : pathSuffix,
      name: t(`places.${textKey}`),
      icon: textKey,
      isExact: pathSuffix === "",
    }));
}
