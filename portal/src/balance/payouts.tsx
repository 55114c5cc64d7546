import { Stack, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import type { Views } from "../generated/console.ts";
import { PagedList } from "../components/paged-list.tsx";
import { Section } from "../components/section.tsx";
import { SearchField } from "../components/search-field.tsx";
import type { Amount } from "../components/format-amount.ts";
import { Sum } from "../components/sum.tsx";
import { parseReference } from "../shell/typed-reference.ts";
import { SettlementBadge } from "./settlement-badge.tsx";

export type Settlement = Views["settlements"]["response"]["settlements"][number];

/** `payoutAmount` returns the sum of a batch in its payout currency. */
export function payoutAmount({ settlementAmount, currency, net }: Settlement): Amount {
  return settlementAmount ?? { currency, value: net };
}

/** Past and planned payouts, each with a link to its movements. */
export function Payouts({
  scope,
  currency,
}: {
  readonly scope: ClientScope;
  readonly currency: string | undefined;
}): ReactNode {
  const { t } = useTranslation();
  const pages = usePages(scope, "settlements", currency ? { currency } : {});
  const settlements = pages.data?.pages.flatMap((page) => page.settlements) ?? [];
  const navigate = useNavigate();
  const { environment } = scope;
  const search = (typed: string): void => {
    const { id: batchId } = parseReference(typed);
    if (batchId) void navigate({ to: "/$environment/balance/$batchId", params: { environment, batchId } });
  };
  return (
    <Section title={t("lists.settlement.title")}>
      <Stack>
        <Text c="dimmed" size="sm">
          {t("lists.settlement.lede")}
        </Text>
        {settlements.length > 0 && (
          <SearchField
            label={t("lists.settlement.reference")}
            buttonLabel={t("lists.settlement.find")}
            searchText={undefined}
            onSearch={search}
          />
        )}
        <PagedList
          pages={pages}
          rows={settlements.map((each) => (
            <PayoutRow key={each.batchId} scope={scope} settlement={each} />
          ))}
          empty={<Text size="sm">{t("lists.settlement.none")}</Text>}
        />
      </Stack>
    </Section>
  );
}

function PayoutRow({
  scope: { environment },
  settlement,
}: {
  readonly scope: ClientScope;
  readonly settlement: Settlement;
}): ReactNode {
  const { t } = useTranslation();
  const { batchId, fromDay, toDay, dueDay } = settlement;
  return (
    <li>
      <Link className="row" to="/$environment/balance/$batchId" params={{ environment, batchId }}>
        <span className="row-sum">
          <Sum amount={payoutAmount(settlement)} />
        </span>
        <SettlementBadge settlement={settlement} />
        <span className="row-what">
          {fromDay === toDay ? fromDay : t("lists.settlement.days", { from: fromDay, to: toDay })}
          <small className="id">{batchId}</small>
        </span>
        <span className="row-when">
          {t("lists.settlement.due")} {dueDay}
        </span>
      </Link>
    </li>
  );
}
