import { Group, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import type { ChartsFilter } from "../search-params.ts";
import { Age } from "../components/age.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PaymentMethods, PaymentSpeed, DeclineReasons } from "./shares.tsx";
import { Payments, SuccessRate, Volume } from "./over-time.tsx";
import type { ChartData } from "./use-numbers.ts";

const from = "/shell/$environment/charts";
const periods = [1, 7, 30, 90, 365];
const defaultDays = 30;

export function ChartsPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from });
  return (
    <>
      <PageHead title={t("charts.title")} lede={t("charts.lede")} />
      <WithClient environment={environment}>{(scope) => <Charts scope={scope} />}</WithClient>
    </>
  );
}

function Charts({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const filter = useSearch({ from });
  const charts = useQuery({
    queryKey: ["charts", scope, filter],
    queryFn: () => queryView(scope, "charts", toRequest(filter)),
    refetchInterval: intervalWhileActive(30_000),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end">
        <Filter charted={charts.data} />
        <Age seconds={charts.data?.ageSeconds} />
      </Group>
      <Failure error={charts.error} />
      {charts.isPending && <Skeleton height={320} />}
      {charts.data && charts.data.currencies.length === 0 && (
        <EmptyState icon="charts" title={t("charts.noneTitle")} lede={t("charts.none")} />
      )}
      {charts.data && charts.data.currencies.length > 0 && (
        <div className="figures">
          <Volume charted={charts.data} />
          <Payments charted={charts.data} />
          <SuccessRate charted={charts.data} />
          <PaymentSpeed charted={charts.data} />
          <DeclineReasons charted={charts.data} />
          <PaymentMethods charted={charts.data} />
        </div>
      )}
    </Stack>
  );
}

function toRequest({
  days = defaultDays,
  currency,
  paymentMethodType,
}: ChartsFilter): Views["charts"]["request"] {
  const since = new Date(Date.now() - days * 86_400_000);
  return {
    createdFrom: `${since.toISOString().slice(0, 19)}+00:00`,
    ...(currency && { currency }),
    ...(paymentMethodType && { paymentMethodType }),
  };
}

function Filter({ charted }: { readonly charted: ChartData | undefined }): ReactNode {
  const { t } = useTranslation();
  const { days = defaultDays, currency, paymentMethodType } = useSearch({ from });
  const navigate = useNavigate();
  const set = (changed: ChartsFilter): void =>
    void navigate({ to: ".", search: (before) => ({ ...before, ...changed }) });
  const includeSelected = (found: readonly string[], selected: string | undefined): string[] => [
    ...new Set([...found, ...(selected ? [selected] : [])]),
  ];
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label={t("charts.period")}
        value={String(days)}
        onChange={({ currentTarget: { value } }) => set({ days: Number(value) })}
        data={[...new Set([...periods, days])].map((number) => ({
          value: String(number),
          label: number === 1 ? t("charts.day") : t("charts.days", { number }),
        }))}
      />
      <NativeSelect
        label={t("search.currency")}
        value={currency ?? charted?.currency ?? ""}
        onChange={({ currentTarget: { value } }) => set({ currency: value })}
        data={includeSelected(charted?.currencies ?? [], currency ?? charted?.currency)}
      />
      <NativeSelect
        label={t("charts.method")}
        value={paymentMethodType ?? ""}
        onChange={({ currentTarget: { value } }) => set({ paymentMethodType: value || undefined })}
        data={[
          { value: "", label: t("charts.anyMethod") },
          ...includeSelected(
            charted?.methods.map((method) => method.paymentMethodType) ?? [],
            paymentMethodType,
          ).map((value) => ({ value, label: value })),
        ]}
      />
    </Group>
  );
}
