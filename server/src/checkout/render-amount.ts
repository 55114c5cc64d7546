import assert from "node:assert/strict";
import { minorDigits } from "../core/currency.ts";
import { html, type Html } from "../formats/html.ts";
import { formatMoney, type Money } from "../core/money.ts";
import { westernDigits, type Language } from "./language.ts";

/** `renderAmount` shows an amount as `€12.50` or `$12.50 USD`: a dollar sign alone can mean a dozen currencies. */
export function renderAmount(money: Money, language: Language): Html {
  const text = formatAmount(money, language);
  const currency =
    text.includes(money.currency) || isUniqueSign(money.currency, text)
      ? undefined
      : html` <span class="currency">${money.currency}</span>`;
  return html`<p class="${sizeClass(text)}"><bdi class="figure">${text}</bdi>${currency}</p>`;
}

/**
 * The style sheet's size for an amount of this length. The content security policy forbids inline styles, so there are
 * a few fixed sizes.
 */
function sizeClass({ length }: string): string {
  if (length <= 9) return "amount";
  if (length <= 15) return "amount long";
  return length <= 20 ? "amount longer" : "amount longest";
}

/** Currency signs that only one currency uses. `¥` and `kr`, like `$`, are signs of several. */
const uniqueSigns: Readonly<Record<string, string>> = {
  EUR: "€",
  IDR: "Rp",
  KRW: "₩",
  PHP: "₱",
  THB: "฿",
  VND: "₫",
  MYR: "RM",
  BRL: "R$",
  INR: "₹",
};

function isUniqueSign(currency: string, text: string): boolean {
  const sign = uniqueSigns[currency];
  return sign !== undefined && text.includes(sign);
}

export function formatAmount(money: Money, { locale }: Pick<Language, "locale">): string {
  const { currency } = money;
  const digits = minorDigits(currency);
  assert(digits !== undefined, `no such currency: ${currency}`);
  // The number of decimals is ours, because Intl drops the decimals of a dozen currencies, which changes the amount by
  // a factor of 100.
  const format = new Intl.NumberFormat(locale, {
    ...westernDigits,
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // Intl receives the amount as a string, so that a large amount is not rounded to a double.
  return format.format(formatMoney(money).slice(currency.length + 1) as `${number}`);
}
