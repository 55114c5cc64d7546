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

interface Place {
  readonly group: Group;
  readonly below: string;
  readonly word: keyof Catalogue["places"];
  readonly permission?: Permission;
  /** The only environment that has the page; undefined if both have it. */
  readonly only?: Environment;
}

/** The pages of the portal for menu and command palette. Pages that the role may not see are left out. */
const places: readonly Place[] = [
  { group: "environment", below: "", word: "overview" },
  { group: "environment", below: "/payments", word: "payments", permission: "payments.read" },
  { group: "environment", below: "/refunds", word: "refunds", permission: "payments.read" },
  { group: "environment", below: "/captures", word: "captures", permission: "payments.read" },
  { group: "environment", below: "/disputes", word: "disputes", permission: "disputes.read" },
  { group: "environment", below: "/charts", word: "charts", permission: "payments.read" },
  { group: "environment", below: "/balance", word: "balance", permission: "balance.read" },
  { group: "environment", below: "/authorizations", word: "authorizations", permission: "payments.read" },
  { group: "environment", below: "/stores", word: "stores", permission: "stores.read" },
  { group: "environment", below: "/checkout-page", word: "brand", permission: "stores.read" },
  { group: "environment", below: "/notifications", word: "notifications", permission: "notifications.read" },
  { group: "environment", below: "/calls", word: "calls", permission: "calls.read" },
  { group: "environment", below: "/try", word: "try", permission: "sandbox.steer", only: "sandbox" },
  { group: "environment", below: "/tools", word: "tools", permission: "sandbox.steer", only: "sandbox" },
  { group: "environment", below: "/keys", word: "keys", permission: "keys.read" },
  { group: "organisation", below: "/people", word: "people", permission: "people.read" },
  { group: "organisation", below: "/approvals", word: "approvals" },
  { group: "organisation", below: "/audit", word: "audit", permission: "audit.read" },
  { group: "organisation", below: "/security", word: "security" },
];

export function useDestinations(environment: Environment): readonly Destination<Group>[] {
  const { t } = useTranslation();
  const can = useCan(environment);
  return places
    .filter(
      ({ permission, only = environment }) =>
        only === environment && (permission === undefined || can(permission)),
    )
    .map(({ group, below, word }) => ({
      group,
      path: group === "environment" ? `/${environment}${below}` : below,
      name: t(`places.${word}`),
      icon: word,
      isExact: below === "",
    }));
}
