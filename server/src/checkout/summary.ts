import { html, type Html } from "../formats/html.ts";
import type { Money } from "../core/money.ts";
import { moneyOf, priceOf, readOrderShown, type Article, type OrderShown } from "../payments/order-shown.ts";
import type { Checkout, CheckoutState } from "./checkout.ts";
import { counted, type Language } from "./language.ts";
import { amountText, shownAmount } from "./shown-amount.ts";

/** The merchant, the amount, and the goods. */
export function summary(state: CheckoutState, checkout: Checkout, merchant: Html): Html {
  const { payment, language, brand } = checkout;
  const amount = (state === "paid" ? payment.paidAmount : undefined) ?? payment.amount;
  const order = readOrderShown(payment.orderShown);
  return html`<section class="summary" aria-label="${language.texts.whatIsPaid}">
    <p class="merchant">
      ${brand.logoPath && html`<img class="logo" src="${brand.logoPath}" alt="" height="40" />`} ${merchant}
    </p>
    ${amount && shownAmount(amount, language)}
    ${payment.orderDescription && html`<p class="order"><bdi>${payment.orderDescription}</bdi></p>`}
    ${order?.articles && goods(order, order.articles, language)}
  </section>`;
}

/** The goods with their prices, if the merchant sent them. */
function goods(
  { more = 0, shippingFee }: OrderShown,
  articles: readonly Article[],
  language: Language,
): Html {
  const { texts } = language;
  const fee = shippingFee && moneyOf(shippingFee);
  return html`<ul class="goods" aria-label="${texts.goods}">
    ${articles.map((article) => line(articleName(article), priceOf(article), language))}
    ${more > 0 ? line(html`${counted(language, texts.moreGoods, more)}`, undefined, language) : undefined}
    ${fee && line(html`${texts.shipping}`, fee, language)}
  </ul>`;
}

function articleName({ name, quantity }: Article): Html {
  return html`${quantity > 1 ? html`<span class="quantity">${quantity} × </span>` : undefined}<bdi
      >${name}</bdi
    >`;
}

function line(name: Html, price: Money | undefined, language: Language): Html {
  return html`<li>
    <span>${name}</span> ${price && html`<bdi class="price">${amountText(price, language)}</bdi>`}
  </li>`;
}
