import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { queryView, listClientIds } from "../api/console-requests.ts";
import { findGateway, type Environment } from "../api/environments.ts";
import { errorCodeOf } from "../api/refusal-error.ts";
import type { Views } from "../generated/console.ts";
import { findOrganisation, useMe } from "../session/me.ts";
import { PageHead } from "../components/page-head.tsx";
import { AuditList } from "./audit-list.tsx";
import type { AuditRow, AuditSource, AuditLog } from "./merge-audit-logs.ts";
import { buildAuditQuery, useAudit, useAuditFilter, type AuditQuery } from "./use-audit.ts";

/** The audit log of the organisation: actions of its people in accounts, and actions on its clients, in one list. */
export function AuditPage(): ReactNode {
  const { t } = useTranslation();
  const isLive = findOrganisation(useMe())?.isLive === true;
  const filter = useAuditFilter();
  const environments: readonly Environment[] = isLive ? ["sandbox", "live"] : ["sandbox"];
  const auditLogs: readonly AuditLog[] = [
    "accounts",
    ...environments.filter((environment) => findGateway(environment)),
  ];
  const pages = useAudit(filter, async () => {
    const selectedLogs = auditLogs.filter((where) => filter.where === undefined || where === filter.where);
    return (
      await Promise.all(selectedLogs.map((where) => findSources(where, buildAuditQuery(filter))))
    ).flat();
  });
  return (
    <>
      <PageHead title={t("audit.title")} lede={t("audit.lede")} />
      <AuditList pages={pages} auditLogs={auditLogs} hasProvider />
    </>
  );
}

type AuditEntry = Pick<AuditRow, "seq" | "at" | "act" | "subject" | "changes"> & {
  readonly person?: { readonly personId: string; readonly role: string };
  readonly reason?: string;
};

function buildRow({ person, ...entry }: AuditEntry, where: AuditLog, about?: string): AuditRow {
  return { ...entry, where, about, by: person ? { kind: "person", ...person } : { kind: "provider" } };
}

/** `findSources` returns one source for accounts, and one for each client of an environment. */
async function findSources(where: AuditLog, auditQuery: AuditQuery): Promise<readonly AuditSource[]> {
  if (where === "accounts") return [accountsSource(auditQuery)];
  try {
    return (await listClientIds(where)).map((clientId) => clientSource(where, clientId, auditQuery));
  } catch (error) {
    return [{ name: where, where, query: () => Promise.reject(error) }];
  }
}

function accountsSource(auditQuery: AuditQuery): AuditSource {
  return {
    name: "accounts",
    where: "accounts",
    async query(cursor) {
      const { entries, ...page } = await requestAccounts("GET /accounts/audit", {
        ...auditQuery,
        ...(cursor && { cursor }),
      });
      return { ...page, rows: entries.map((entry) => buildRow(entry, "accounts")) };
    },
  };
}

function clientSource(environment: Environment, clientId: string, auditQuery: AuditQuery): AuditSource {
  return {
    name: `${environment} ${clientId}`,
    where: environment,
    async query(cursor) {
      const request = { ...auditQuery, ...(cursor && { cursor }) };
      const { entries, ...page } = await queryView({ environment, clientId }, "audit", request).catch(
        emptyIfUnknown,
      );
      return { ...page, rows: entries.map((entry) => buildRow(entry, environment, clientId)) };
    },
  };
}

/** A client without a first key is unknown to its environment, so its audit log is empty. */
function emptyIfUnknown(error: unknown): Views["audit"]["response"] {
  if (errorCodeOf(error) !== "UNKNOWN_CLIENT") throw error;
  return { entries: [] };
}
