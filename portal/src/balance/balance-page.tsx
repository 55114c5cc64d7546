import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Facts } from "../components/facts.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkButton } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { EmptyList } from "../components/empty-list.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Section } from "../components/section.tsx";
import { StatusFilter } from "../components/status-filter.tsx";
import { Sum } from "../components/sum.tsx";
import { Payouts } from "./payouts.tsx";
import { Reports } from "./reports.tsx";

type Balance = Views["balance"]["response"]["balances"][number];
type Movement = Views["movements"]["response"]["movements"][number];

export function BalancePage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/balance" });
  return (
    <>
      <PageHead title={t("lists.balance.title")} lede={t("lists.balance.lede")}>
        <LinkButton to="/$environment/statement" params={{ environment }} variant="default">
          {t("lists.statement.title")}
        </LinkButton>
      </PageHead>
      <WithClient environment={environment}>{(scope) => <Balances scope={scope} />}</WithClient>
    </>
  );
}

function Balances({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const { currency } = useSearch({ from: "/shell/$environment/balance" });
  const query = useQuery({
    queryKey: ["balance", scope],
    queryFn: () => queryView(scope, "balance", {}),
    refetchInterval: intervalWhileActive(5_000),
  });
  if (query.error) return <Failure error={query.error} />;
  if (!query.data) return <Skeleton height={160} />;
  const { balances } = query.data;
  if (balances.length === 0)
    return <EmptyState icon="balance" title={t("lists.balance.noneTitle")} lede={t("lists.balance.none")} />;
  return (
    <Stack gap="xl">
      <div className="holdings">
        {balances.map((each) => (
          <Holding key={each.currency} balance={each} />
        ))}
      </div>
      <Payouts scope={scope} currency={currency} />
      <Reports scope={scope} />
      <Movements scope={scope} currencies={balances.map((each) => each.currency)} />
    </Stack>
  );
}

function Holding({ balance }: { readonly balance: Balance }): ReactNode {
  const { t } = useTranslation();
  const { currency } = balance;
  const sum = (value: string): ReactNode => <Sum amount={{ currency, value }} />;
  return (
    <section className="holding" aria-label={currency}>
      <Text c="dimmed" size="sm">
        {t("lists.balance.owed")}
      </Text>
      <Text className="big-sum">{sum(balance.owed)}</Text>
      {balance.owed.startsWith("-") && <Text size="sm">{t("lists.balance.negative")}</Text>}
      <Facts
        facts={[
          [t("lists.balance.available"), sum(balance.available)],
          [t("lists.balance.openRefunds"), balance.openRefunds !== "0" && sum(balance.openRefunds)],
          [t("lists.balance.frozen"), balance.frozen !== "0" && sum(balance.frozen)],
          [t("lists.balance.reserve"), balance.reserve !== "0" && sum(balance.reserve)],
          [t("lists.balance.inTransit"), balance.inTransit !== "0" && sum(balance.inTransit)],
        ]}
      />
    </section>
  );
}

interface MovementsProps {
  readonly scope: ClientScope;
  readonly currencies: readonly string[];
}

function Movements({ scope, currencies }: MovementsProps): ReactNode {
  const { t } = useTranslation();
  const { currency } = useSearch({ from: "/shell/$environment/balance" });
  const pages = usePages(scope, "movements", currency ? { currency } : {});
  const movements = pages.data?.pages.flatMap((page) => page.movements) ?? [];
  return (
    <Section title={t("lists.balance.movements")}>
      <Stack>
        <Text c="dimmed" size="sm">
          {t("lists.balance.movementsLede")}
        </Text>
        {(currencies.length > 1 || currency) && (
          <StatusFilter
            label={t("lists.balance.currency")}
            name="currency"
            value={currency}
            choices={currencies.map((value) => ({ value, label: value }))}
          />
        )}
        <PagedList
          pages={pages}
          rows={movements.map((each, index) => (
            // A record can have several lines without an id, so the index is part of the key.
            <MovementRow key={`${each.subjectId} ${each.effect} ${index}`} scope={scope} movement={each} />
          ))}
          empty={
            <EmptyList
              icon="balance"
              title={t("lists.balance.noneTitle")}
              lede={t("lists.balance.none")}
              isFiltered={currency !== undefined}
            />
          }
        />
      </Stack>
    </Section>
  );
}

/** `MovementRow` shows the change of the balance and both ledger accounts. It links to the payment or the dispute. */
function MovementRow({
  scope,
  movement,
}: {
  readonly scope: ClientScope;
  readonly movement: Movement;
}): ReactNode {
  const { t } = useTranslation();
  const { environment } = scope;
  const { subjectId, effect, debitAccount, creditAccount, amount, owedChange, time } = movement;
  const isDispute = effect.startsWith("dispute");
  // Movements of a payout or a reserve get no link of their own, because the page shows the payout above.
  const isOfPayout = /^(?:payout|reserve)/.test(effect);
  const content = (
    <>
      <span className="row-sum" data-sign={owedChange.startsWith("-") ? "less" : "more"}>
        {owedChange === "0" ? (
          <Sum amount={amount} />
        ) : (
          <Sum amount={{ currency: amount.currency, value: owedChange }} isSigned />
        )}
      </span>
      <span>{t(`payment.effect.${effect}`)}</span>
      <span className="row-what">
        <small>
          {t("ledger.debit")} {debitAccount}
        </small>
        <small>
          {t("ledger.credit")} {creditAccount}
        </small>
      </span>
      <span className="row-when">
        <Moment at={time} />
      </span>
    </>
  );
  if (isOfPayout) return <li className="row row-booked">{content}</li>;
  return (
    <li>
      {isDispute ? (
        <Link
          className="row row-booked"
          to="/$environment/disputes/$disputeId"
          params={{ environment, disputeId: subjectId }}
        >
          {content}
        </Link>
      ) : (
        <Link
          className="row row-booked"
          to="/$environment/payments/$paymentId"
          params={{ environment, paymentId: subjectId }}
        >
          {content}
        </Link>
      )}
    </li>
  );
}
