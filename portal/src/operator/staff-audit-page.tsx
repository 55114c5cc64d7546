import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { requestAccounts } from "../api/request-accounts.ts";
import { queryStaff } from "../api/console-requests.ts";
import { findGateway, type Environment } from "../api/environments.ts";
import { AuditList } from "../audit/audit-list.tsx";
import type { AuditRow, AuditSource, AuditLog } from "../audit/merge-audit-logs.ts";
import { buildAuditQuery, useAudit, useAuditFilter, type AuditQuery } from "../audit/use-audit.ts";
import { PageHead } from "../components/page-head.tsx";
import { SearchField } from "../components/search-field.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

const environments: readonly Environment[] = ["sandbox", "live"];

/** The audit logs of accounts and of each environment as one list. */
export function StaffAuditPage(): ReactNode {
  const { t } = useConsoleTexts();
  const filter = useAuditFilter();
  const navigate = useNavigate();
  const auditLogs: readonly AuditLog[] = [
    "accounts",
    ...environments.filter((environment) => findGateway(environment)),
  ];
  const { of: clientId, where: selectedLog } = filter;
  const pages = useAudit(filter, async () =>
    auditLogs
      // The audit log of accounts has no client ids.
      .filter((where) => (selectedLog ?? where) === where && !(clientId && where === "accounts"))
      .map((where) => buildSource(where, buildAuditQuery(filter), clientId)),
  );
  return (
    <>
      <PageHead title={t("audit.title")} lede={t("audit.lede")} />
      <SearchField
        label={t("audit.filter")}
        buttonLabel={t("payment.find")}
        searchText={clientId}
        onSearch={(of) => void navigate({ to: ".", search: { ...filter, of: of || undefined } as never })}
      />
      <AuditList pages={pages} auditLogs={auditLogs} />
    </>
  );
}

type AuditEntry = Pick<AuditRow, "seq" | "at" | "act" | "subject" | "changes"> & {
  readonly actor: { readonly kind: string; readonly name: string; readonly role: string };
  readonly reason?: string;
};

function buildRow(
  { actor: { kind, name, role }, ...entry }: AuditEntry,
  where: AuditLog,
  about?: string,
): AuditRow {
  const by =
    kind === "command" || kind === "sql"
      ? ({ kind, name } as const)
      : ({ kind: "person", personId: name, role } as const);
  return { ...entry, where, about, by };
}

function buildSource(where: AuditLog, auditQuery: AuditQuery, clientId: string | undefined): AuditSource {
  return {
    name: where,
    where,
    async query(cursor) {
      const request = { ...auditQuery, ...(cursor && { cursor }) };
      if (where === "accounts") {
        const { entries, ...page } = await requestAccounts("GET /accounts/audit/all", request);
        return { ...page, rows: entries.map((entry) => buildRow(entry, where, entry.organisation)) };
      }
      const { entries, ...page } = await queryStaff(where, "audit", {
        ...request,
        ...(clientId && { clientId }),
      });
      return { ...page, rows: entries.map((entry) => buildRow(entry, where, entry.clientId)) };
    },
  };
}
