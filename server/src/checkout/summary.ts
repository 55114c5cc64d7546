import { html, type Html } from "../formats/html.ts";
import type { Money } from "../core/money.ts";
import {
  moneyOf,
  priceOf,
  parseCheckoutOrder,
  type Article,
  type CheckoutOrder,
} from "../payments/checkout-order.ts";
import type { Checkout, CheckoutState } from "./checkout.ts";
import { pluralText, type Language } from "./language.ts";
import { formatAmount, renderAmount } from "./render-amount.ts";

/** The merchant, the amount, and the goods. */
export function orderSummary(state: CheckoutState, checkout: Checkout, merchant: Html): Html {
  const { payment, language, brand } = checkout;
  const amount = (state === "paid" ? payment.paidAmount : undefined) ?? payment.amount;
  const order = parseCheckoutOrder(payment.checkoutOrder);
  return html`<section class="summary" aria-label="${language.texts.summaryLabel}">
    <p class="merchant">
      ${brand.logoPath && html`<img class="logo" src="${brand.logoPath}" alt="" height="40" />`} ${merchant}
    </p>
    ${amount && renderAmount(amount, language)}
    ${payment.orderDescription && html`<p class="order"><bdi>${payment.orderDescription}</bdi></p>`}
    ${order?.articles && goodsList(order, order.articles, language)}
  </section>`;
}

/** The goods with their prices, if the merchant sent them. */
function goodsList(
  { more = 0, shippingFee }: CheckoutOrder,
  articles: readonly Article[],
  language: Language,
): Html {
  const { texts } = language;
  const fee = shippingFee && moneyOf(shippingFee);
  return html`<ul class="goods" aria-label="${texts.goods}">
    ${articles.map((article) => goodsLine(articleName(article), priceOf(article), language))}
    ${more > 0 ? goodsLine(html`${pluralText(language, texts.moreGoods, more)}`, undefined, language) : undefined}
    ${fee && goodsLine(html`${texts.shipping}`, fee, language)}
  </ul>`;
}

function articleName({ name, quantity }: Article): Html {
  return html`${quantity > 1 ? html`<span class="quantity">${quantity} × </span>` : undefined}<bdi
      >${name}</bdi
    >`;
}

function goodsLine(name: Html, price: Money | undefined, language: Language): Html {
  return html`<li>
    <span>${name}</span> ${price && html`<bdi class="price">${formatAmount(price, language)}</bdi>`}
  </li>`;
}
