import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ask } from "../api/accounts.ts";
import { askStaff } from "../api/console.ts";
import { gatewayOf, type Environment } from "../api/environments.ts";
import { AuditList } from "../audit/audit-list.tsx";
import type { AuditRow, AuditSource, Where } from "../audit/merge-audit-logs.ts";
import { askedOf, useAudit, useAuditFilter, type AskedOfAudit } from "../audit/use-audit.ts";
import { PageHead } from "../components/page-head.tsx";
import { Seek } from "../components/search-field.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

const places: readonly Environment[] = ["sandbox", "live"];

/** The audit logs of accounts and of each environment as one list. */
export function StaffAuditPage(): ReactNode {
  const { t } = useConsoleTexts();
  const filter = useAuditFilter();
  const navigate = useNavigate();
  const wheres: readonly Where[] = ["accounts", ...places.filter((place) => gatewayOf(place))];
  const { of: clientId, where: wanted } = filter;
  const pages = useAudit(filter, async () =>
    wheres
      // The audit log of accounts has no client ids.
      .filter((where) => (wanted ?? where) === where && !(clientId && where === "accounts"))
      .map((where) => sourceAt(where, askedOf(filter), clientId)),
  );
  return (
    <>
      <PageHead title={t("audit.title")} lede={t("audit.lede")} />
      <Seek
        label={t("audit.filter")}
        go={t("payment.find")}
        sought={clientId}
        seek={(of) => void navigate({ to: ".", search: { ...filter, of: of || undefined } as never })}
      />
      <AuditList pages={pages} wheres={wheres} />
    </>
  );
}

type Told = Pick<AuditRow, "seq" | "at" | "act" | "subject" | "changes"> & {
  readonly actor: { readonly kind: string; readonly name: string; readonly role: string };
  readonly reason?: string;
};

function rowOf({ actor: { kind, name, role }, ...told }: Told, where: Where, about?: string): AuditRow {
  const by =
    kind === "command" || kind === "sql"
      ? ({ kind, name } as const)
      : ({ kind: "person", personId: name, role } as const);
  return { ...told, where, about, by };
}

function sourceAt(where: Where, asked: AskedOfAudit, clientId: string | undefined): AuditSource {
  return {
    name: where,
    where,
    async ask(cursor) {
      const request = { ...asked, ...(cursor && { cursor }) };
      if (where === "accounts") {
        const { entries, ...page } = await ask("GET /accounts/audit/all", request);
        return { ...page, rows: entries.map((entry) => rowOf(entry, where, entry.organisation)) };
      }
      const { entries, ...page } = await askStaff(where, "audit", {
        ...request,
        ...(clientId && { clientId }),
      });
      return { ...page, rows: entries.map((entry) => rowOf(entry, where, entry.clientId)) };
    },
  };
}
