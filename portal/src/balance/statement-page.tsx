import { Button, Group, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import { saveStatement } from "../export/save-statement.ts";
import type { Views } from "../generated/console.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Sum } from "../components/sum.tsx";
import { currentMonth, listMonths } from "./accounting-months.ts";
import { FeeSummary } from "./fee-summary.tsx";

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
      <WithClient environment={environment}>{(scope) => <MonthlyStatement scope={scope} />}</WithClient>
    </>
  );
}

function MonthlyStatement({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const search = useSearch({ from: "/shell/$environment/statement" });
  const balances = useQuery({ queryKey: ["balance", scope], queryFn: () => queryView(scope, "balance", {}) });
  if (balances.error) return <Failure error={balances.error} />;
  if (!balances.data) return <Skeleton height={320} />;
  const currencies = balances.data.balances.map((each) => each.currency);
  const { month = currentMonth(), currency = currencies[0] } = search;
  if (currency === undefined)
    return <EmptyState icon="balance" title={t("lists.balance.noneTitle")} lede={t("lists.balance.none")} />;
  return (
    <Stack>
      <Choice currencies={currencies} currency={currency} month={month} />
      <MonthMovements key={`${currency} ${month}`} scope={scope} currency={currency} month={month} />
    </Stack>
  );
}

interface Selection {
  readonly currency: string;
  readonly month: string;
}

/** The choice of month and currency. It is part of the URL, so it survives a reload and can be shared. */
function Choice({
  currencies,
  currency,
  month,
}: Selection & { readonly currencies: readonly string[] }): ReactNode {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const choose = (search: Selection): void => void navigate({ to: ".", search });
  const monthFormat = new Intl.DateTimeFormat(i18n.language, {
    year: "numeric",
    month: "long",
    timeZone: "UTC",
  });
  return (
    <Group align="end" gap="sm">
      <NativeSelect
        label={t("lists.statement.month")}
        value={month}
        onChange={({ currentTarget: { value } }) => choose({ currency, month: value })}
        data={listMonths(currentMonth(), month).map((value) => ({
          value,
          label: monthFormat.format(new Date(`${value}-01T00:00:00Z`)),
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

interface MonthProps extends Selection {
  readonly scope: ClientScope;
}

function MonthMovements({ scope, currency, month }: MonthProps): ReactNode {
  const { t } = useTranslation();
  // The cost of a page grows with the movements since the first day, so the list is not refreshed.
  const pages = usePages(scope, "statement", { currency, month }, false);
  const statementPages = pages.data?.pages ?? [];
  const [first, last] = [statementPages[0], statementPages.at(-1)];
  const sum = (value: string): ReactNode => <Sum amount={{ currency, value }} />;
  return (
    <Stack>
      <Group gap="sm">
        <SaveAs scope={scope} request={{ currency, month, format: "CSV" }} />
        <SaveAs scope={scope} request={{ currency, month, format: "PDF" }} />
      </Group>
      {first && <StatementBalance name={t("lists.statement.opening")} sum={sum(first.opening)} />}
      <PagedList
        pages={pages}
        more={t("lists.statement.more")}
        rows={addBalances(statementPages).map(({ line, balance }) => (
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
        <StatementBalance
          name={t(pages.hasNextPage ? "lists.statement.soFar" : "lists.statement.closing")}
          sum={sum(last.closing)}
        />
      )}
    </Stack>
  );
}

function StatementBalance({ name, sum }: { readonly name: string; readonly sum: ReactNode }): ReactNode {
  return (
    <Group justify="space-between" className="stood">
      <span>{name}</span>
      <strong>{sum}</strong>
    </Group>
  );
}

/** `addBalances` adds the running balance to each line. */
function addBalances(
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
        <FeeSummary currency={currency} fee={line} />
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
  readonly scope: ClientScope;
  readonly request: Parameters<typeof saveStatement>[1];
}

function SaveAs({ scope, request }: SaveProps): ReactNode {
  const { t } = useTranslation();
  const save = useMutation({ mutationFn: () => saveStatement(scope, request) });
  return (
    <>
      <Button variant="default" size="xs" loading={save.isPending} onClick={() => save.mutate()}>
        {t("lists.statement.save", { format: request.format })}
      </Button>
      <Failure error={save.error} />
    </>
  );
}
