import { html, type Html } from "../core/html.ts";

/**
 * A time in UTC, which the script rewrites in the buyer's time zone. The day is shown when it is not today.
 */
export function timeElement(time: Date, now: Date): Html {
  const isToday = time.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  const format = new Intl.DateTimeFormat("en-GB", {
    ...(isToday ? {} : { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
  });
  return html`<time datetime="${time.toISOString()}">${format.format(time)} UTC</time>`;
}
