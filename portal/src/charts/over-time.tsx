import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { minorDigits } from "../../../server/src/core/currency.ts";
import { formatAmount } from "../components/format-amount.ts";
import { Columns } from "./columns.tsx";
import { Figure } from "./figure.tsx";
import { useNumbers, type ChartData } from "./use-numbers.ts";

interface Props {
  readonly charted: ChartData;
}

export function Volume({ charted }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const { formatCompact, formatTime } = useNumbers(charted.span);
  const { currency = "", points } = charted;
  // The picture uses numbers with limited precision; the table has all digits.
  const unit = 10 ** (minorDigits(currency) ?? 0);
  const title = t("charts.volume", { currency });
  return (
    <Figure
      title={title}
      head={[t("charts.time"), title]}
      rows={points.map(({ time, paidAmount }) => [
        formatTime(time),
        formatAmount(paidAmount ?? { currency, value: "0" }, i18n.language),
      ])}
    >
      <Columns
        name={title}
        format={formatCompact}
        columns={points.map(({ time, paidAmount }) => ({
          label: formatTime(time),
          parts: [{ tone: "accent", value: Number(paidAmount?.value ?? 0) / unit, name: t("charts.paid") }],
        }))}
      />
    </Figure>
  );
}

export function Payments({ charted }: Props): ReactNode {
  const { t } = useTranslation();
  const { formatCompact, formatCount, formatTime } = useNumbers(charted.span);
  const points = charted.points.map((point) => ({
    ...point,
    openCount: point.paymentCount - point.successCount - point.failCount - point.cancelCount,
  }));
  return (
    <Figure
      title={t("charts.payments")}
      lede={<Legend />}
      head={[
        t("charts.time"),
        t("charts.total"),
        t("charts.paid"),
        t("charts.failed"),
        t("charts.cancelled"),
        t("charts.open"),
      ]}
      rows={points.map((point) => [
        formatTime(point.time),
        ...[point.paymentCount, point.successCount, point.failCount, point.cancelCount, point.openCount].map(
          formatCount,
        ),
      ])}
    >
      <Columns
        name={t("charts.payments")}
        format={formatCompact}
        columns={points.map((point) => ({
          label: formatTime(point.time),
          parts: [
            { tone: "happened", value: point.successCount, name: t("charts.paid") },
            { tone: "refused", value: point.failCount, name: t("charts.failed") },
            { tone: "quiet", value: point.cancelCount, name: t("charts.cancelled") },
            { tone: "unknown", value: point.openCount, name: t("charts.open") },
          ],
        }))}
      />
    </Figure>
  );
}

function Legend(): ReactNode {
  const { t } = useTranslation();
  const tones = [
    ["happened", t("charts.paid")],
    ["refused", t("charts.failed")],
    ["quiet", t("charts.cancelled")],
    ["unknown", t("charts.open")],
  ] as const;
  return (
    <span className="legend">
      {tones.map(([tone, name]) => (
        <span key={tone} data-tone={tone}>
          {name}
        </span>
      ))}
    </span>
  );
}

export function SuccessRate({ charted }: Props): ReactNode {
  const { t } = useTranslation();
  const { percent, formatTime } = useNumbers(charted.span);
  const rates = charted.points.map(({ time, successCount, failCount, cancelCount }) => {
    const finalCount = successCount + failCount + cancelCount;
    return { time, rate: finalCount === 0 ? undefined : successCount / finalCount };
  });
  return (
    <Figure
      title={t("charts.rate")}
      lede={t("charts.rateMeans")}
      head={[t("charts.time"), t("charts.rate")]}
      rows={rates.map(({ time, rate }) => [
        formatTime(time),
        rate === undefined ? t("charts.nothing") : percent(rate),
      ])}
    >
      <Columns
        name={t("charts.rate")}
        format={percent}
        maximum={1}
        columns={rates.map(({ time, rate = 0 }) => ({
          label: formatTime(time),
          parts: [{ tone: "happened", value: rate, name: t("charts.rate") }],
        }))}
      />
    </Figure>
  );
}
