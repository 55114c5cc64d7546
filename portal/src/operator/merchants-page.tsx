import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { Answer } from "../shell/answer.tsx";
import { Empty } from "../shell/empty.tsx";
import { Moment } from "../shell/moment.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { Seek } from "../shell/seek.tsx";
import { PageLink, useSought, useStaffEnvironment } from "./operator-links.tsx";
import { useStaff } from "./use-staff.ts";
import { useWords } from "./use-words.ts";

/** Clients of merchants in this environment. */
export function MerchantsPage(): ReactNode {
  const { t } = useWords();
  const environment = useStaffEnvironment();
  const { sought, seek } = useSought();
  const found = useStaff(environment, "merchants", sought ? { part: sought } : {});
  return (
    <>
      <PageHead title={t("merchants.title")} lede={t("merchants.lede")} />
      <Seek label={t("merchants.part")} go={t("payment.find")} sought={sought} seek={seek} />
      <Answer of={found}>{(data) => <MerchantList {...data} environment={environment} />}</Answer>
    </>
  );
}

interface ListProps {
  readonly count: number;
  readonly merchants: Staff["merchants"]["response"]["merchants"];
  readonly environment: Environment;
}

function MerchantList({ count, merchants, environment }: ListProps): ReactNode {
  const { t } = useWords();
  if (count === 0)
    return <Empty icon="organisation" title={t("merchants.noneTitle")} lede={t("merchants.none")} />;
  return (
    <>
      <ul className="rows">
        {merchants.map(({ clientId, name, status, createdAt }) => (
          <li key={clientId} className="case">
            <div className="case-words">
              <PageLink to={`/${environment}/merchants/${clientId}`}>{name}</PageLink>
              <Text size="sm" c="dimmed">
                <span className="id">{clientId}</span> · <Moment at={createdAt} />
              </Text>
            </div>
            <MerchantStatus status={status} />
          </li>
        ))}
      </ul>
      <Text c="dimmed" size="sm" mt="xs">
        {t("merchants.shown", { shown: merchants.length, count })}
      </Text>
    </>
  );
}

const tones: Readonly<Record<string, string>> = { ACTIVE: "happened", SUSPENDED: "refused" };

export function MerchantStatus({ status }: { readonly status: string }): ReactNode {
  const { t } = useWords();
  return (
    <span className="status" data-tone={tones[status]}>
      {t(`merchants.status.${status}` as "merchants.status.ACTIVE")}
    </span>
  );
}
