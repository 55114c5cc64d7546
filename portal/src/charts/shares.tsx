import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Bars } from "./bars.tsx";
import { Figure } from "./figure.tsx";
import { useNumbers, type ChartData } from "./use-numbers.ts";

interface Props {
  readonly charted: ChartData;
}

/** `PaymentSpeed` shows how many payments were paid within each time range. */
export function PaymentSpeed({ charted: { pace, span } }: Props): ReactNode {
  const { t } = useTranslation();
  const { formatCount, percent } = useNumbers(span);
  const { paidCount, averageSeconds, within } = pace;
  const steps = within.map(({ seconds: until, paymentCount }, index) => {
    const before = within[index - 1];
    return {
      name: before ? t("charts.between", { from: before.seconds, until }) : t("charts.upTo", { until }),
      value: paymentCount - (before?.paymentCount ?? 0),
    };
  });
  const longer = { name: t("charts.longer"), value: paidCount - (within.at(-1)?.paymentCount ?? 0) };
  const bars = (paidCount > 0 ? [...steps, longer] : []).map((step) => ({
    ...step,
    label: `${formatCount(step.value)} · ${percent(step.value / paidCount)}`,
  }));
  return (
    <Figure
      title={t("charts.pace")}
      lede={
        averageSeconds === undefined
          ? t("charts.nothing")
          : t("charts.paceAverage", { seconds: formatCount(averageSeconds) })
      }
      head={[t("charts.pace"), t("charts.payments"), t("charts.share")]}
      rows={bars.map(({ name, value }) => [name, formatCount(value), percent(value / paidCount)])}
    >
      <Bars bars={bars} tone="accent" />
    </Figure>
  );
}

export function DeclineReasons({ charted: { reasons, span } }: Props): ReactNode {
  const { t } = useTranslation();
  const { formatCount, percent } = useNumbers(span);
  const totalCount = reasons.reduce((sum, { paymentCount }) => sum + paymentCount, 0);
  const bars = reasons.map(({ resultCode: name, paymentCount: value }) => ({
    name,
    value,
    label: `${formatCount(value)} · ${percent(value / totalCount)}`,
  }));
  return (
    <Figure
      title={t("charts.reasons")}
      head={[t("charts.reason"), t("charts.payments"), t("charts.share")]}
      rows={bars.map(({ name, value }) => [name, formatCount(value), percent(value / totalCount)])}
    >
      {bars.length === 0 ? (
        <Text c="dimmed">{t("charts.noReasons")}</Text>
      ) : (
        <Bars bars={bars} tone="refused" />
      )}
    </Figure>
  );
}

export function PaymentMethods({ charted: { methods, span } }: Props): ReactNode {
  const { t } = useTranslation();
  const { formatCount, percent } = useNumbers(span);
  const bars = methods.map(({ paymentMethodType: name, paymentCount: value, successCount }) => ({
    name,
    value,
    label: `${formatCount(value)} · ${percent(successCount / value)} ${t("charts.paid")}`,
  }));
  return (
    <Figure
      title={t("charts.methods")}
      head={[t("charts.method"), t("charts.payments"), t("charts.paid")]}
      rows={methods.map(({ paymentMethodType, paymentCount, successCount }) => [
        paymentMethodType,
        formatCount(paymentCount),
        formatCount(successCount),
      ])}
    >
      <Bars bars={bars} tone="accent" />
    </Figure>
  );
}
