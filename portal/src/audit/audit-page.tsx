import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { askView, clientIdsOf } from "../api/console.ts";
import { gatewayOf, type Environment } from "../api/environments.ts";
import { wordOf } from "../api/refusal-error.ts";
import type { Views } from "../generated/console.ts";
import { organisationOf, useMe } from "../session/me.ts";
import { PageHead } from "../components/page-head.tsx";
import { AuditList } from "./audit-list.tsx";
import type { AuditRow, AuditSource, Where } from "./merge-audit-logs.ts";
import { askedOf, useAudit, useAuditFilter, type AskedOfAudit } from "./use-audit.ts";

/** The audit log of the organisation: actions of its people in accounts, and actions on its clients, in one list. */
export function AuditPage(): ReactNode {
  const { t } = useTranslation();
  const isLive = organisationOf(useMe())?.isLive === true;
  const filter = useAuditFilter();
  const places: readonly Environment[] = isLive ? ["sandbox", "live"] : ["sandbox"];
  const wheres: readonly Where[] = ["accounts", ...places.filter((place) => gatewayOf(place))];
  const pages = useAudit(filter, async () => {
    const wanted = wheres.filter((where) => filter.where === undefined || where === filter.where);
    return (await Promise.all(wanted.map((where) => sourcesAt(where, askedOf(filter))))).flat();
  });
  return (
    <>
      <PageHead title={t("audit.title")} lede={t("audit.lede")} />
      <AuditList pages={pages} wheres={wheres} hasProvider />
    </>
  );
}

type Told = Pick<AuditRow, "seq" | "at" | "act" | "subject" | "changes"> & {
  readonly person?: { readonly personId: string; readonly role: string };
  readonly reason?: string;
};

function rowOf({ person, ...told }: Told, where: Where, about?: string): AuditRow {
  return { ...told, where, about, by: person ? { kind: "person", ...person } : { kind: "provider" } };
}

/** `sourcesAt` returns one source for accounts, and one for each client of an environment. */
async function sourcesAt(where: Where, asked: AskedOfAudit): Promise<readonly AuditSource[]> {
  if (where === "accounts") return [ofAccounts(asked)];
  try {
    return (await clientIdsOf(where)).map((clientId) => ofClient(where, clientId, asked));
  } catch (error) {
    return [{ name: where, where, ask: () => Promise.reject(error) }];
  }
}

function ofAccounts(asked: AskedOfAudit): AuditSource {
  return {
    name: "accounts",
    where: "accounts",
    async ask(cursor) {
      const { entries, ...page } = await ask("GET /accounts/audit", { ...asked, ...(cursor && { cursor }) });
      return { ...page, rows: entries.map((entry) => rowOf(entry, "accounts")) };
    },
  };
}

function ofClient(environment: Environment, clientId: string, asked: AskedOfAudit): AuditSource {
  return {
    name: `${environment} ${clientId}`,
    where: environment,
    async ask(cursor) {
      const request = { ...asked, ...(cursor && { cursor }) };
      const { entries, ...page } = await askView({ environment, clientId }, "audit", request).catch(
        ifUnknown,
      );
      return { ...page, rows: entries.map((entry) => rowOf(entry, environment, clientId)) };
    },
  };
}

/** A client without a first key is unknown to its environment, so its audit log is empty. */
function ifUnknown(error: unknown): Views["audit"]["response"] {
  if (wordOf(error) !== "UNKNOWN_CLIENT") throw error;
  return { entries: [] };
}
