import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import { ReportButton } from "../export/report-button.tsx";
import type { Views } from "../generated/console.ts";
import { Facts } from "../components/facts.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Section } from "../components/section.tsx";
import { Sum } from "../components/sum.tsx";
import { payoutAmount, type Settlement } from "./payouts.tsx";
import { SettlementBadge } from "./settlement-badge.tsx";
import { FeeSummary } from "./fee-summary.tsx";

type Item = Views["settlement"]["response"]["items"][number];

export function SettlementPage(): ReactNode {
  const { t } = useTranslation();
  const { environment, batchId } = useParams({ from: "/shell/$environment/balance/$batchId" });
  return (
    <>
      <LinkAnchor to="/$environment/balance" params={{ environment }} size="sm" className="back">
        ← {t("lists.balance.title")}
      </LinkAnchor>
      <PageHead title={t("lists.settlement.one")} lede={t("lists.settlement.oneLede")} />
      <WithClient environment={environment}>
        {(scope) => <SettlementDetails scope={scope} batchId={batchId} />}
      </WithClient>
    </>
  );
}

function SettlementDetails({
  scope,
  batchId,
}: {
  readonly scope: ClientScope;
  readonly batchId: string;
}): ReactNode {
  const { t } = useTranslation();
  const pages = usePages(scope, "settlement", { batchId });
  if (pages.error) return <Failure error={pages.error} />;
  const [first] = pages.data?.pages ?? [];
  if (!first) return <Skeleton height={320} />;
  const { settlement } = first;
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Stack gap="xl">
      <Sums settlement={settlement} />
      <PayoutAttempts settlement={settlement} />
      <Section title={t("lists.settlement.items")}>
        <Stack>
          <Group gap="sm">
            <ReportButton
              scope={scope}
              request={{ report: "SETTLEMENT_DETAIL", batchId }}
              label={t("lists.settlement.details")}
            />
            <ReportButton
              scope={scope}
              request={{ report: "SETTLEMENT_SUMMARY", batchId }}
              label={t("lists.settlement.summary")}
            />
          </Group>
          <PagedList
            pages={pages}
            rows={items.map((each) => (
              <ItemRow
                key={`${each.subjectId} ${each.effect}`}
                scope={scope}
                item={each}
                currency={settlement.currency}
              />
            ))}
            empty={<Text size="sm">{t("lists.settlement.noItems")}</Text>}
          />
        </Stack>
      </Section>
    </Stack>
  );
}

const parts = ["gross", "refunds", "disputes", "fees", "tax", "other", "reserve", "carried"] as const;

/** The paid amount and the sums that add up to it. */
function Sums({ settlement }: { readonly settlement: Settlement }): ReactNode {
  const { t } = useTranslation();
  const { batchId, currency, net, fromDay, toDay, dueDay } = settlement;
  return (
    <section>
      <Group align="center" gap="sm" mb="sm">
        <Text className="big-sum">
          <Sum amount={payoutAmount(settlement)} />
        </Text>
        <SettlementBadge settlement={settlement} />
      </Group>
      {net.startsWith("-") && (
        <Text size="sm" mb="sm">
          {t("lists.settlement.negative")}
        </Text>
      )}
      <Facts
        facts={[
          [
            t("lists.settlement.id"),
            <span key="id" className="id">
              {batchId}
            </span>,
          ],
          [
            t("lists.settlement.of"),
            fromDay === toDay ? fromDay : t("lists.settlement.days", { from: fromDay, to: toDay }),
          ],
          [t("lists.settlement.due"), dueDay],
          [t("lists.settlement.changed"), settlement.settlementQuote && <Change settlement={settlement} />],
        ]}
      />
      <table className="adds-up">
        <caption>{t("lists.settlement.addsUp")}</caption>
        <tbody>
          {parts
            .filter((part) => settlement[part] !== "0")
            .map((part) => (
              <tr key={part}>
                <th scope="row">{t(`lists.settlement.sum.${part}`)}</th>
                <td>
                  <Sum amount={{ currency, value: settlement[part] }} isSigned />
                </td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t("lists.settlement.sum.net")}</th>
            <td>
              <Sum amount={{ currency, value: net }} />
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

/** The currency conversion of a batch: EUR 1,000.00 at the rate 1.0832 = USD 1,083.20. */
function Change({ settlement }: { readonly settlement: Settlement }): ReactNode {
  const { t } = useTranslation();
  const { currency, net, settlementQuote } = settlement;
  return (
    <>
      <Sum amount={{ currency, value: net }} /> {t("lists.settlement.at")} {settlementQuote?.quotePrice} ={" "}
      <Sum amount={payoutAmount(settlement)} />
    </>
  );
}

/** All payout attempts of the batch, with the bank's answers. */
function PayoutAttempts({ settlement }: { readonly settlement: Settlement }): ReactNode {
  const { t } = useTranslation();
  const { payouts } = settlement;
  const { currency } = payoutAmount(settlement);
  if (payouts.length === 0) return undefined;
  return (
    <Section title={t("lists.settlement.payouts")}>
      <ul className="rows">
        {payouts.map(({ payoutId, amount, status, reasonCode, createdTime, finishedTime }) => (
          <li key={payoutId} className="row">
            <span className="row-sum">
              <Sum amount={{ currency, value: amount }} />
            </span>
            <span>{t(`lists.settlement.payout.${status}`)}</span>
            <span className="row-what">
              {reasonCode}
              <small>{t("lists.settlement.shownAs")}</small>
              <small className="id">{payoutId}</small>
            </span>
            <span className="row-when">
              <Moment at={finishedTime ?? createdTime} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface ItemProps {
  readonly scope: ClientScope;
  readonly item: Item;
  readonly currency: string;
}

/** A movement with a link to its payment, if it has one. */
function ItemRow({ scope: { environment }, item, currency }: ItemProps): ReactNode {
  const { t } = useTranslation();
  const { effect, paymentId, subjectId, net, time } = item;
  const content = (
    <>
      <span className="row-sum" data-sign={net.startsWith("-") ? "less" : "more"}>
        <Sum amount={{ currency, value: net }} isSigned />
      </span>
      <span>{t(`payment.effect.${effect}`)}</span>
      <span className="row-what">
        <FeeSummary currency={currency} fee={item} />
        <small className="id">{subjectId}</small>
      </span>
      <span className="row-when">
        <Moment at={time} />
      </span>
    </>
  );
  if (paymentId === undefined) return <li className="row">{content}</li>;
  return (
    <li>
      <Link className="row" to="/$environment/payments/$paymentId" params={{ environment, paymentId }}>
        {content}
      </Link>
    </li>
  );
}
