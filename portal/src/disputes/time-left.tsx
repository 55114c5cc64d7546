import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

const units = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** The time left by the gateway's clock, which can be a test clock in the sandbox. The colour shows the urgency. */
export function TimeLeft({ seconds }: { readonly seconds: number }): ReactNode {
  const { t, i18n } = useTranslation();
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? units[2];
  const format = new Intl.NumberFormat(i18n.language, { style: "unit", unit, unitDisplay: "long" });
  const tone = seconds < 86_400 ? "refused" : seconds < 3 * 86_400 ? "unknown" : "quiet";
  return (
    <span className="status" data-tone={tone}>
      {t("disputes.left", { time: format.format(Math.floor(seconds / length)) })}
    </span>
  );
}
