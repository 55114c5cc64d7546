import { Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Place } from "../api/console.ts";
import { usePages } from "../api/use-pages.ts";
import type { Views } from "../generated/console.ts";
import { PagesOf } from "../shell/pages-of.tsx";
import { Section } from "../shell/section.tsx";
import type { Amount } from "../shell/sum-in-words.ts";
import { Sum } from "../shell/sum.tsx";

export type Settlement = Views["settlements"]["response"]["settlements"][number];

const tones = { DUE: "unknown", CARRIED: "quiet", PAYING: "unknown", PAID: "happened" } as const;

export function SettlementBadge({ settlement }: { readonly settlement: Settlement }): ReactNode {
  const { t } = useTranslation();
  const { status } = settlement;
  return (
    <span className="status" data-tone={tones[status]}>
      {t(`lists.settlement.status.${status}`)}
    </span>
  );
}

/** What a batch comes to, in the currency that it is paid in. */
export function paidOut({ settlementAmount, currency, net }: Settlement): Amount {
  return settlementAmount ?? { currency, value: net };
}

/** What was paid out and what will be, each of which leads to what it is made of. */
export function Payouts({
  place,
  currency,
}: {
  readonly place: Place;
  readonly currency: string | undefined;
}): ReactNode {
  const { t } = useTranslation();
  const pages = usePages(place, "settlements", currency ? { currency } : {});
  const settlements = pages.data?.pages.flatMap((page) => page.settlements) ?? [];
  return (
    <Section title={t("lists.settlement.title")}>
      <Stack>
        <Text c="dimmed" size="sm">
          {t("lists.settlement.lede")}
        </Text>
        <PagesOf
          pages={pages}
          rows={settlements.map((each) => (
            <PayoutRow key={each.batchId} place={place} settlement={each} />
          ))}
          empty={<Text size="sm">{t("lists.settlement.none")}</Text>}
        />
      </Stack>
    </Section>
  );
}

function PayoutRow({
  place: { environment },
  settlement,
}: {
  readonly place: Place;
  readonly settlement: Settlement;
}): ReactNode {
  const { t } = useTranslation();
  const { batchId, fromDay, toDay, dueDay } = settlement;
  return (
    <li>
      <Link className="row" to="/$environment/balance/$batchId" params={{ environment, batchId }}>
        <span className="row-sum">
          <Sum amount={paidOut(settlement)} />
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
