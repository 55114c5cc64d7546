import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Staff } from "../generated/staff.ts";
import { Failure } from "../shell/failure.tsx";
import { Moment } from "../shell/moment.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { useSought, useStaffEnvironment } from "./operator-links.tsx";
import { Seek } from "./seek.tsx";
import { useStaff } from "./use-staff.ts";
import { useWords } from "./use-words.ts";

type Row = Staff["audit"]["response"]["rows"][number];

/** Who did what in this environment, and why. */
export function StaffAuditPage(): ReactNode {
  const { t } = useWords();
  const environment = useStaffEnvironment();
  const { sought, seek } = useSought();
  const { data, error } = useStaff(environment, "audit", sought ? { clientId: sought } : {});
  return (
    <>
      <PageHead title={t("audit.title")} lede={t("audit.lede")} />
      <Seek label={t("audit.filter")} go={t("payment.find")} sought={sought} seek={seek} />
      <Failure error={error} />
      {data?.rows.length === 0 && <Text c="dimmed">{t("audit.none")}</Text>}
      {data && data.rows.length > 0 && (
        <ul className="rows">
          {data.rows.map((row) => (
            <li key={row.seq} className="case">
              <AuditCase row={row} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function AuditCase({ row }: { readonly row: Row }): ReactNode {
  const { t } = useWords();
  const { seq, at, actor, act, subject, reason, before, after } = row;
  const how = { person: "", command: t("audit.byCommand"), sql: t("audit.bySql") }[actor.kind] ?? "";
  return (
    <div className="case-words">
      <Text>
        <Text span fw={600}>
          {act}
        </Text>{" "}
        <span className="id">{subject}</span>
      </Text>
      {reason && <Text>“{reason}”</Text>}
      <Text size="sm" c="dimmed">
        {seq} · <Moment at={at} /> · <span className="id">{actor.name}</span> · {actor.role}
        {how && ` · ${how}`}
      </Text>
      {(before !== undefined || after !== undefined) && (
        <details className="more">
          <summary>{t("audit.more")}</summary>
          <div className="json">{JSON.stringify({ before, after }, undefined, 1)}</div>
        </details>
      )}
    </div>
  );
}
