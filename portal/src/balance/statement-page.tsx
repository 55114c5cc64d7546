import { Button, Group, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { askView, type Place } from "../api/console.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import { saveStatement } from "../export/save-statement.ts";
import type { Views } from "../generated/console.ts";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Sum } from "../components/sum.tsx";
import { thisMonth, monthsUntil } from "./accounting-months.ts";
import { FeeTaken } from "./fee-taken.tsx";

type Line = Views["statement"]["response"]["lines"][number];

/** The statement of account: one month with opening balance, movements and closing balance. */
export function StatementPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/statement" });
  return (
    <>
      <LinkAnchor to="/$environment/balance" params={{ environment }} size="sm" className="back">
        ← {t("lists.balance.title")}
      </LinkAnchor>
      <PageHead title={t("lists.statement.title")} lede={t("lists.statement.lede")} />
      <WithClient environment={environment}>{(place) => <OfSomeMonth place={place} />}</WithClient>
    </>
  );
}

function OfSomeMonth({ place }: { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const asked = useSearch({ from: "/shell/$environment/statement" });
  const held = useQuery({ queryKey: ["balance", place], queryFn: () => askView(place, "balance", {}) });
  if (held.error) return <Failure error={held.error} />;
  if (!held.data) return <Skeleton height={320} />;
  const currencies = held.data.balances.map((each) => each.currency);
  const { month = thisMonth(), currency = currencies[0] } = asked;
  if (currency === undefined)
    return <Empty icon="balance" title={t("lists.balance.noneTitle")} lede={t("lists.balance.none")} />;
  return (
    <Stack>
      <Choice currencies={currencies} currency={currency} month={month} />
      <OneMonth key={`${currency} ${month}`} place={place} currency={currency} month={month} />
    </Stack>
  );
}

interface Chosen {
  readonly currency: string;
  readonly month: string;
}

/** The choice of month and currency. It is part of the URL, so it survives a reload and can be shared. */
function Choice({
  currencies,
  currency,
  month,
}: Chosen & { readonly currencies: readonly string[] }): ReactNode {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const choose = (search: Chosen): void => void navigate({ to: ".", search });
  const inWords = new Intl.DateTimeFormat(i18n.language, { year: "numeric", month: "long", timeZone: "UTC" });
  return (
    <Group align="end" gap="sm">
      <NativeSelect
        label={t("lists.statement.month")}
        value={month}
        onChange={({ currentTarget: { value } }) => choose({ currency, month: value })}
        data={monthsUntil(thisMonth(), month).map((value) => ({
          value,
          label: inWords.format(new Date(`${value}-01T00:00:00Z`)),
        }))}
      />
      <NativeSelect
        label={t("lists.balance.currency")}
        value={currency}
        onChange={({ currentTarget: { value } }) => choose({ currency: value, month })}
        data={[...new Set([...currencies, currency])]}
      />
    </Group>
  );
}

interface MonthProps extends Chosen {
  readonly place: Place;
}

function OneMonth({ place, currency, month }: MonthProps): ReactNode {
  const { t } = useTranslation();
  // The cost of a page grows with the movements since the first day, so the list is not refreshed.
  const pages = usePages(place, "statement", { currency, month }, false);
  const found = pages.data?.pages ?? [];
  const [first, last] = [found[0], found.at(-1)];
  const sum = (value: string): ReactNode => <Sum amount={{ currency, value }} />;
  return (
    <Stack>
      <Group gap="sm">
        <SaveAs place={place} asked={{ currency, month, format: "CSV" }} />
        <SaveAs place={place} asked={{ currency, month, format: "PDF" }} />
      </Group>
      {first && <Stood name={t("lists.statement.opening")} sum={sum(first.opening)} />}
      <PagedList
        pages={pages}
        more={t("lists.statement.more")}
        rows={withBalances(found).map(({ line, balance }) => (
          <LineRow
            key={`${line.time} ${line.subjectId} ${line.effect}`}
            currency={currency}
            line={line}
            balance={balance}
          />
        ))}
        empty={<Text>{t("lists.statement.none")}</Text>}
      />
      {last && (
        <Stood
          name={t(pages.hasNextPage ? "lists.statement.soFar" : "lists.statement.closing")}
          sum={sum(last.closing)}
        />
      )}
    </Stack>
  );
}

function Stood({ name, sum }: { readonly name: string; readonly sum: ReactNode }): ReactNode {
  return (
    <Group justify="space-between" className="stood">
      <span>{name}</span>
      <strong>{sum}</strong>
    </Group>
  );
}

/** `withBalances` adds the running balance to each line. */
function withBalances(
  pages: readonly Views["statement"]["response"][],
): readonly { readonly line: Line; readonly balance: string }[] {
  let balance = BigInt(pages[0]?.opening ?? 0);
  return pages
    .flatMap(({ lines }) => lines)
    .map((line) => {
      balance += BigInt(line.net);
      return { line, balance: String(balance) };
    });
}

interface LineProps {
  readonly currency: string;
  readonly line: Line;
  readonly balance: string;
}

function LineRow({ currency, line, balance }: LineProps): ReactNode {
  const { t } = useTranslation();
  const { subjectId, effect, net, time } = line;
  return (
    <li className="row row-booked">
      <span className="row-sum" data-sign={net.startsWith("-") ? "less" : "more"}>
        <Sum amount={{ currency, value: net }} isSigned />
      </span>
      <span>{t(`payment.effect.${effect}`)}</span>
      <span className="row-what">
        <FeeTaken currency={currency} of={line} />
        <small className="id">{subjectId}</small>
        <small>
          <Moment at={time} />
        </small>
      </span>
      <span className="row-when">
        {t("lists.statement.balance")} <Sum amount={{ currency, value: balance }} />
      </span>
    </li>
  );
}

interface SaveProps {
  readonly place: Place;
  readonly asked: Parameters<typeof saveStatement>[1];
}

function SaveAs({ place, asked }: SaveProps): ReactNode {
  const { t } = useTranslation();
  const save = useMutation({ mutationFn: () => saveStatement(place, asked) });
  return (
    <>
      <Button variant="default" size="xs" loading={save.isPending} onClick={() => save.mutate()}>
        {t("lists.statement.save", { format: asked.format })}
      </Button>
      <Failure error={save.error} />
    </>
  );
}
