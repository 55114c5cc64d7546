import { useTranslation } from "react-i18next";
import type { Right } from "../../../server/src/people/role.ts";
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
  /** False if the link is also active on pages below it. */
  readonly isExact: boolean;
}

interface Place {
  readonly group: Group;
  readonly below: string;
  readonly word: keyof Catalogue["places"];
  readonly right?: Right;
  /** Set if only this environment has the page. */
  readonly only?: Environment;
}

/** The pages of the portal for menu and command palette. Pages that the role may not see are left out. */
const places: readonly Place[] = [
  { group: "environment", below: "", word: "overview" },
  { group: "environment", below: "/payments", word: "payments", right: "payments.read" },
  { group: "environment", below: "/refunds", word: "refunds", right: "payments.read" },
  { group: "environment", below: "/captures", word: "captures", right: "payments.read" },
  { group: "environment", below: "/disputes", word: "disputes", right: "disputes.read" },
  { group: "environment", below: "/charts", word: "charts", right: "payments.read" },
  { group: "environment", below: "/balance", word: "balance", right: "balance.read" },
  { group: "environment", below: "/authorizations", word: "authorizations", right: "payments.read" },
  { group: "environment", below: "/stores", word: "stores", right: "stores.read" },
  { group: "environment", below: "/checkout-page", word: "brand", right: "stores.read" },
  { group: "environment", below: "/notifications", word: "notifications", right: "notifications.read" },
  { group: "environment", below: "/calls", word: "calls", right: "calls.read" },
  { group: "environment", below: "/try", word: "try", right: "sandbox.steer", only: "sandbox" },
  { group: "environment", below: "/tools", word: "tools", right: "sandbox.steer", only: "sandbox" },
  { group: "environment", below: "/keys", word: "keys", right: "keys.read" },
  { group: "organisation", below: "/people", word: "people", right: "people.read" },
  { group: "organisation", below: "/approvals", word: "approvals" },
  { group: "organisation", below: "/audit", word: "audit", right: "audit.read" },
  { group: "organisation", below: "/security", word: "security" },
];

export function useDestinations(environment: Environment): readonly Destination<Group>[] {
  const { t } = useTranslation();
  const can = useCan(environment);
  return places
    .filter(({ right, only = environment }) => only === environment && (right === undefined || can(right)))
    .map(({ group, below, word }) => ({
      group,
      path: group === "environment" ? `/${environment}${below}` : below,
      name: t(`places.${word}`),
      icon: word,
      isExact: below === "",
    }));
}
