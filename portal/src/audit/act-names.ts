import { useTranslation } from "react-i18next";
import type { AuditLog } from "./merge-audit-logs.ts";

export const auditLogNames = {
  accounts: "audit.accounts",
  sandbox: "environments.sandbox",
  live: "environments.live",
} as const satisfies Readonly<Record<AuditLog, string>>;

type Group = "accounts" | "gateways" | "provider";
type Names = Readonly<Record<Group, Readonly<Record<string, string>>>>;

/**
 * `useActNames` returns the names of audited actions. Action ids contain dots, so the whole table is read instead of
 * single keys.
 */
export function useActNames(): { readonly groups: Names; readonly actName: (act: string) => string } {
  const { t } = useTranslation();
  const groups = t("audit.acts", { returnObjects: true }) as unknown as Names;
  const actNames: Readonly<Record<string, string>> = {
    ...groups.accounts,
    ...groups.gateways,
    ...groups.provider,
  };
  return {
    groups,
    actName(act) {
      const viewName = /^(?:views|staff)\/(.*)$/.exec(act)?.[1];
      return viewName === undefined ? (actNames[act] ?? act) : t("audit.looked", { what: viewName });
    },
  };
}
