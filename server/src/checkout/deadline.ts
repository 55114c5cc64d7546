import { html, type Html } from "../formats/html.ts";
import type { Checkout } from "./checkout.ts";
import { pluralText, fillTemplate } from "./language.ts";
import { timeElement } from "./time-element.ts";

const warnBelowSeconds = 60;

/**
 * The deadline of a payment, as a time and as remaining time. The script counts down; without the script each reload
 * updates it.
 */
export function deadlineNote(
  text: "payBy" | "chooseBy",
  { payment, now, language }: Checkout,
  expiresAt = payment.expiresAt,
): Html | undefined {
  if (!expiresAt) return undefined;
  const { texts } = language;
  const seconds = Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / 1000));
  const time = timeElement(expiresAt, now, language);
  return html`<p
    class="deadline${seconds <= warnBelowSeconds ? " soon" : ""}"
    data-seconds="${seconds}"
    data-forms="${JSON.stringify(texts.minutesLeft)}"
    data-over="${texts.deadlinePassed}"
  >
    <span>${fillTemplate(texts[text], { time })}</span>
    <span class="remaining" role="timer"
      >${pluralText(language, texts.minutesLeft, Math.ceil(seconds / 60))}</span
    >
  </p>`;
}
