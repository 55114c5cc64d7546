import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { QueryResult } from "../components/query-result.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SearchField } from "../components/search-field.tsx";
import { PageLink, useSearchText, useStaffEnvironment } from "./operator-links.tsx";
import { useStaff } from "./use-staff.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

/** Client ids of merchants in this environment. */
export function MerchantsPage(): ReactNode {
  const { t } = useConsoleTexts();
  const environment = useStaffEnvironment();
  const { searchText, onSearch } = useSearchText();
  const query = useStaff(environment, "merchants", searchText ? { part: searchText } : {});
  return (
    <>
      <PageHead title={t("merchants.title")} lede={t("merchants.lede")} />
      <SearchField
        label={t("merchants.part")}
        buttonLabel={t("payment.find")}
        searchText={searchText}
        onSearch={onSearch}
      />
      <QueryResult query={query}>
        {(data) => <MerchantList {...data} environment={environment} />}
      </QueryResult>
    </>
  );
}

interface ListProps {
  readonly count: number;
  readonly merchants: Staff["merchants"]["response"]["merchants"];
  readonly environment: Environment;
}

function MerchantList({ count, merchants, environment }: ListProps): ReactNode {
  const { t } = useConsoleTexts();
  if (count === 0)
    return <EmptyState icon="organisation" title={t("merchants.noneTitle")} lede={t("merchants.none")} />;
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
  const { t } = useConsoleTexts();
  return (
    <span className="status" data-tone={tones[status]}>
      {t(`merchants.status.${status}` as "merchants.status.ACTIVE")}
    </span>
  );
}
