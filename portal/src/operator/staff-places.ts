import type { Right } from "../../../server/src/people/role.ts";
import type { Environment } from "../api/environments.ts";
import type { OperatorCatalogue } from "../languages/english-operator.ts";
import { useCan } from "../session/me.ts";
import type { IconName } from "../shell/icons.tsx";
import { useWords } from "./use-words.ts";

export interface StaffDestination {
  readonly group: "environment" | "installation";
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  /** Whether pages below it are other places. */
  readonly isExact: boolean;
}

interface Place {
  readonly group: StaffDestination["group"];
  readonly below: string;
  readonly word: keyof OperatorCatalogue["places"];
  readonly icon: IconName;
  readonly right?: Right;
}

/** Where staff can go, for the menu and for the palette; what a role may not see is not offered. */
const places: readonly Place[] = [
  { group: "environment", below: "", word: "board", icon: "board", right: "open-records.read" },
  { group: "environment", below: "/payment", word: "payment", icon: "payments", right: "payments.read" },
  {
    group: "environment",
    below: "/merchants",
    word: "merchants",
    icon: "organisation",
    right: "merchants.read",
  },
  { group: "environment", below: "/wallets", word: "wallets", icon: "wallets", right: "wallets.read" },
  { group: "environment", below: "/payouts", word: "payouts", icon: "balance", right: "balance.read" },
  { group: "environment", below: "/breaks", word: "breaks", icon: "breaks", right: "breaks.read" },
  {
    group: "installation",
    below: "/reviews",
    word: "reviews",
    icon: "authorizations",
    right: "merchants.read",
  },
  {
    group: "installation",
    below: "/announcement",
    word: "announcement",
    icon: "announcement",
    right: "announcements.write",
  },
  { group: "installation", below: "/people", word: "people", icon: "people", right: "people.read" },
  { group: "installation", below: "/approvals", word: "approvals", icon: "approvals" },
  {
    group: "installation",
    below: "/recoveries",
    word: "recoveries",
    icon: "person",
    right: "merchants.read",
  },
  { group: "installation", below: "/audit", word: "audit", icon: "audit", right: "audit.read" },
  { group: "installation", below: "/security", word: "security", icon: "security" },
];

export function useStaffPlaces(environment: Environment): readonly StaffDestination[] {
  const { t } = useWords();
  const can = useCan(environment);
  return places
    .filter(({ right }) => right === undefined || can(right))
    .map(({ group, below, word, icon }) => ({
      group,
      path: group === "environment" ? `/${environment}${below}` : below,
      name: t(`places.${word}`),
      icon,
      isExact: below === "",
    }));
}
