import { Alert, Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Moment } from "../components/moment.tsx";
import { EmptyList } from "../components/empty-list.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { auditLogNames, useActNames } from "./act-names.ts";
import { AuditFilterForm } from "./audit-filter.tsx";
import type { AuditPage, AuditRow, AuditLog } from "./merge-audit-logs.ts";
import {
  collectTexts,
  useAuditFilter,
  useNames,
  insertNames,
  type AuditPages,
  type PersonName,
} from "./use-audit.ts";

interface Props {
  readonly pages: AuditPages;
  /** Places of the filter: accounts and the environments. */
  readonly auditLogs: readonly AuditLog[];
  /** True if the operator's actions are shown without names. */
  readonly hasProvider?: boolean;
}

/** Rows of several audit logs with the names of people, below the filter form. */
export function AuditList({ pages, auditLogs, hasProvider = false }: Props): ReactNode {
  const { t } = useTranslation();
  const filter = useAuditFilter();
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  const names = useNames(collectTexts(rows));
  return (
    <Stack>
      <AuditFilterForm auditLogs={auditLogs} names={names} hasProvider={hasProvider} />
      <Missing missing={pages.data?.pages[0]?.missing ?? []} onAgain={() => void pages.refetch()} />
      <PagedList
        pages={pages}
        rows={rows.map((row) => (
          <Entry key={`${row.source} ${row.seq}`} row={row} names={names} />
        ))}
        empty={
          <EmptyList
            icon="audit"
            title={t("audit.noneTitle")}
            lede={t("audit.none")}
            isFiltered={Object.keys(filter).length > 0}
          />
        }
      />
    </Stack>
  );
}

/** Warns that the list is incomplete because a source did not respond. */
function Missing({
  missing,
  onAgain,
}: Pick<AuditPage, "missing"> & { readonly onAgain: () => void }): ReactNode {
  const { t } = useTranslation();
  const locations = [...new Set(missing.map(({ where }) => where))].map((where) => t(auditLogNames[where]));
  if (locations.length === 0) return undefined;
  return (
    <Alert className="failure" variant="light" role="alert">
      <Group justify="space-between">
        <span>{t("audit.missing", { where: locations.join(", ") })}</span>
        <Button variant="default" size="xs" onClick={onAgain}>
          {t("audit.again")}
        </Button>
      </Group>
    </Alert>
  );
}

function Entry({
  row,
  names,
}: {
  readonly row: AuditRow;
  readonly names: ReadonlyMap<string, PersonName>;
}): ReactNode {
  const { t } = useTranslation();
  const { actName } = useActNames();
  const { where, act, subject, about, reason, at } = row;
  const isAboutItself = row.by.kind === "person" && row.by.personId === subject;
  return (
    <li className="row row-audit">
      <span className="row-sum">{actName(act)}</span>
      <span className="where" data-where={where}>
        {t(auditLogNames[where])}
      </span>
      <span className="row-what">
        <By by={row.by} names={names} />
        {reason && <span className="said">“{insertNames(reason, names)}”</span>}
        <small className="id">
          {[isAboutItself ? undefined : insertNames(subject, names), about === subject ? undefined : about]
            .filter(Boolean)
            .join(" · ")}
        </small>
        <Changes changes={row.changes} />
      </span>
      <span className="row-when">
        <Moment at={at} />
      </span>
    </li>
  );
}

function By({
  by,
  names,
}: {
  readonly by: AuditRow["by"];
  readonly names: ReadonlyMap<string, PersonName>;
}): ReactNode {
  const { t, i18n } = useTranslation();
  if (by.kind === "provider") return <span>{t("audit.provider")}</span>;
  if (by.kind !== "person")
    return (
      <span>
        {by.name} <small>{t(`audit.by.${by.kind}`)}</small>
      </span>
    );
  const named = names.get(by.personId);
  const role = i18n.exists(`roles.${by.role}`) ? t(`roles.${by.role}` as "roles.owner") : undefined;
  const unknown = by.personId === "unknown" ? t("audit.nobody") : by.personId;
  return (
    <span>
      {named?.name ?? unknown}
      <small>{[named?.email, role].filter(Boolean).join(" · ")}</small>
    </span>
  );
}

function Changes({ changes }: Pick<AuditRow, "changes">): ReactNode {
  const { t } = useTranslation();
  if (changes.length === 0) return undefined;
  return (
    <details className="more">
      <summary>{t("audit.changed")}</summary>
      <dl className="changes">
        {changes.map(({ field, before, after }) => (
          <div key={field}>
            <dt>{field}</dt>
            <dd>
              {before !== undefined && <del>{before || t("audit.nothing")}</del>}
              {before !== undefined && after !== undefined && " → "}
              {after !== undefined && <ins>{after || t("audit.nothing")}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
