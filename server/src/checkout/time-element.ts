import { html, type Html } from "../formats/html.ts";
import { westernDigits, type Language } from "./language.ts";

/**
 * A time in UTC as an HTML element, which the script rewrites in the buyer's time zone. The date is shown if it is not
 * today.
 */
export function timeElement(time: Date, now: Date, language: Pick<Language, "locale">): Html {
  const isToday = time.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  return html`<time datetime="${time.toISOString()}"
    >${formatUtc(time, language, isToday ? clock : { ...day, ...clock })} UTC</time
  >`;
}

/** A day in UTC as an HTML element, which the script rewrites in the buyer's time zone. */
export function dayElement(time: Date, language: Pick<Language, "locale">): Html {
  return html`<time datetime="${time.toISOString()}" class="day">${formatUtc(time, language, day)}</time>`;
}

const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const day = { day: "numeric", month: "short" } as const;

function formatUtc(
  time: Date,
  { locale }: Pick<Language, "locale">,
  parts: Intl.DateTimeFormatOptions,
): string {
  return new Intl.DateTimeFormat(locale, { ...westernDigits, ...parts, timeZone: "UTC" }).format(time);
}
