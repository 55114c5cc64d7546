import assert from "node:assert/strict";
import { minorDigits } from "../core/currency.ts";
import { html, type Html } from "../core/html.ts";
import { formatMoney, type Money } from "../core/money.ts";

/** `€12.50 EUR`: a sign alone can stand for a dozen currencies. */
export function shownAmount(money: Money): Html {
  const text = amountText(money);
  const currency = text.includes(money.currency)
    ? undefined
    : html` <span class="currency">${money.currency}</span>`;
  return html`<p class="${sizeFor(text)}"><span class="figure">${text}</span>${currency}</p>`;
}

/** The content security policy forbids inline styles, so the style sheet has a few sizes. */
function sizeFor({ length }: string): string {
  if (length <= 9) return "amount";
  if (length <= 15) return "amount long";
  return length <= 20 ? "amount longer" : "amount longest";
}

function amountText(money: Money): string {
  const { currency } = money;
  const digits = minorDigits(currency);
  assert(digits !== undefined, `no such currency: ${currency}`);
  // Our own number of digits: Intl drops those of a dozen currencies, and with them a factor of 100.
  const format = new Intl.NumberFormat("en", {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // Passed as a string, so that a large sum is not rounded to a double.
  return format.format(formatMoney(money).slice(currency.length + 1) as `${number}`);
}
