import { html, type Html } from "../core/html.ts";

/** A time in UTC, which the script rewrites as the buyer's own. The day is told when it is not today's. */
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
