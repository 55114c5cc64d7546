import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** A time in the reader's time zone. The tooltip shows the exact time with its zone. */
export function Moment({ at }: { readonly at: string }): ReactNode {
  const { i18n } = useTranslation();
  const date = new Date(at);
  const exact = new Intl.DateTimeFormat(i18n.language, { dateStyle: "full", timeStyle: "full" });
  return (
    <time dateTime={at} title={exact.format(date)}>
      {formatMoment(at, i18n.language)}
    </time>
  );
}

/** A time in the reader's time zone, for use in a sentence. */
export function formatMoment(at: string, language: string): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
  return format.format(new Date(at));
}
