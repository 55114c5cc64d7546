import type { Permission } from "../../../server/src/people/role.ts";
import type { Environment } from "../api/environments.ts";
import type { OperatorCatalogue } from "../languages/english-operator.ts";
import { useCan } from "../session/me.ts";
import type { IconName } from "../components/icons.tsx";
import type { Destination } from "../shell/portal-destinations.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Group = "environment" | "installation";

interface NavigationItem {
  readonly group: Group;
  readonly pathSuffix: string;
  readonly textKey: keyof OperatorCatalogue["places"];
  readonly icon: IconName;
  readonly permission?: Permission;
}

/** The pages of the console for menu and command palette. Pages that the role may not see are left out. */
const navigationItems: readonly NavigationItem[] = [
  { group: "environment", pathSuffix: "", textKey: "board", icon: "board", permission: "open-records.read" },
  {
    group: "environment",
    pathSuffix: "/payment",
    textKey: "payment",
    icon: "payments",
    permission: "payments.read",
  },
  {
    group: "environment",
    pathSuffix: "/merchants",
    textKey: "merchants",
    icon: "organisation",
    permission: "merchants.read",
  },
  {
    group: "environment",
    pathSuffix: "/providers",
    textKey: "providers",
    icon: "providers",
    permission: "providers.read",
  },
  {
    group: "environment",
    pathSuffix: "/payouts",
    textKey: "payouts",
    icon: "balance",
    permission: "balance.read",
  },
  {
    group: "environment",
    pathSuffix: "/breaks",
    textKey: "breaks",
    icon: "breaks",
    permission: "breaks.read",
  },
  {
    group: "installation",
    pathSuffix: "/reviews",
    textKey: "reviews",
    icon: "authorizations",
    permission: "merchants.read",
  },
  {
    group: "installation",
    pathSuffix: "/announcement",
    textKey: "announcement",
    icon: "announcement",
    permission: "announcements.write",
  },
  {
    group: "installation",
    pathSuffix: "/people",
    textKey: "people",
    icon: "people",
    permission: "people.read",
  },
  { group: "installation", pathSuffix: "/approvals", textKey: "approvals", icon: "approvals" },
  {
    group: "installation",
    pathSuffix: "/recoveries",
    textKey: "recoveries",
    icon: "person",
    permission: "merchants.read",
  },
  { group: "installation", pathSuffix: "/audit", textKey: "audit", icon: "audit", permission: "audit.read" },
  { group: "installation", pathSuffix: "/security", textKey: "security", icon: "security" },
];

export function useStaffDestinations(environment: Environment): readonly Destination<Group>[] {
  const { t } = useConsoleTexts();
  const can = useCan(environment);
  return navigationItems
    .filter(({ permission }) => permission === undefined || can(permission))
    .map(({ group, pathSuffix, textKey, icon }) => ({
      group,
      path: group === "environment" ? `/${environment}${pathSuffix}` : pathSuffix,
      name: t(`places.${textKey}`),
      icon,
      isExact: pathSuffix === "",
    }));
}
