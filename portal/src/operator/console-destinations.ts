import type { Permission } from "../../../server/src/people/role.ts";
import type { Environment } from "../api/environments.ts";
import type { OperatorCatalogue } from "../languages/english-operator.ts";
import { useCan } from "../session/me.ts";
import type { IconName } from "../components/icons.tsx";
import type { Destination } from "../shell/portal-destinations.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Group = "environment" | "installation";

interface Place {
  readonly group: Group;
  readonly below: string;
  readonly word: keyof OperatorCatalogue["places"];
  readonly icon: IconName;
  readonly permission?: Permission;
}

/** The pages of the console for menu and command palette. Pages that the role may not see are left out. */
const places: readonly Place[] = [
  { group: "environment", below: "", word: "board", icon: "board", permission: "open-records.read" },
  { group: "environment", below: "/payment", word: "payment", icon: "payments", permission: "payments.read" },
  {
    group: "environment",
    below: "/merchants",
    word: "merchants",
    icon: "organisation",
    permission: "merchants.read",
  },
  {
    group: "environment",
    below: "/providers",
    word: "providers",
    icon: "providers",
    permission: "providers.read",
  },
  { group: "environment", below: "/payouts", word: "payouts", icon: "balance", permission: "balance.read" },
  { group: "environment", below: "/breaks", word: "breaks", icon: "breaks", permission: "breaks.read" },
  {
    group: "installation",
    below: "/reviews",
    word: "reviews",
    icon: "authorizations",
    permission: "merchants.read",
  },
  {
    group: "installation",
    below: "/announcement",
    word: "announcement",
    icon: "announcement",
    permission: "announcements.write",
  },
  { group: "installation", below: "/people", word: "people", icon: "people", permission: "people.read" },
  { group: "installation", below: "/approvals", word: "approvals", icon: "approvals" },
  {
    group: "installation",
    below: "/recoveries",
    word: "recoveries",
    icon: "person",
    permission: "merchants.read",
  },
  { group: "installation", below: "/audit", word: "audit", icon: "audit", permission: "audit.read" },
  { group: "installation", below: "/security", word: "security", icon: "security" },
];

export function useStaffPlaces(environment: Environment): readonly Destination<Group>[] {
  const { t } = useConsoleTexts();
  const can = useCan(environment);
  return places
    .filter(({ permission }) => permission === undefined || can(permission))
    .map(({ group, below, word, icon }) => ({
      group,
      path: group === "environment" ? `/${environment}${below}` : below,
      name: t(`places.${word}`),
      icon,
      isExact: below === "",
    }));
}
