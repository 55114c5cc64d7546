import { html, type Html } from "../core/html.ts";
import type { Checkout } from "./checkout.ts";
import { timeElement } from "./time-element.ts";

const warnBelowSeconds = 60;

/** The deadline, as a time and as time left. The script counts down; without it each reload updates it. */
export function deadline(words: string, { payment: { expiresAt }, now }: Checkout): Html | undefined {
  if (!expiresAt) return undefined;
  const seconds = Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / 1000));
  const minutes = Math.ceil(seconds / 60);
  const remaining = `${minutes} ${minutes === 1 ? "minute" : "minutes"} left`;
  return html`<p class="deadline${seconds <= warnBelowSeconds ? " soon" : ""}" data-seconds="${seconds}">
    <span>${words} ${timeElement(expiresAt, now)}</span>
    <span class="remaining" role="timer">${remaining}</span>
  </p>`;
}
