import { html, type Html } from "../formats/html.ts";
import { parseCheckoutOrder } from "../payments/checkout-order.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { Checkout } from "./checkout.ts";
import { fillTemplate } from "./language.ts";
import { merchantNameHtml, methodName } from "./display-names.ts";
import { formatAmount } from "./render-amount.ts";
import { dayElement, timeElement } from "./time-element.ts";

/**
 * Details that a buyer needs for later questions about this payment: its outcome, and the ids by which support finds
 * it.
 */
export function paymentFacts(checkout: Checkout): Html {
  const { payment, now, language, brand } = checkout;
  const { texts } = language;
  const order = parseCheckoutOrder(payment.checkoutOrder);
  return html`<div class="facts">
    ${(checkout.returnedTransactions ?? []).map((each) => returnedAmountNote(each, checkout))}
    <dl>
      ${payment.paidAt && factRow(texts.paidAt, timeElement(payment.paidAt, now, language))}
      ${payment.paidAt && factRow(texts.paidWith, html`<bdi>${methodName(checkout)}</bdi>`)}
      ${order && factRow(texts.orderNumber, html`<bdi class="copied">${order.number}</bdi>`)}
      ${factRow(texts.reference, html`<bdi class="reference copied">${groupDigits(payment.paymentId)}</bdi>`)}
    </dl>
    ${
      brand.supportUrl &&
      html`<a href="${brand.supportUrl}" rel="noreferrer"
        >${fillTemplate(texts.help, { merchant: merchantNameHtml(checkout) })}</a
      >`
    }
    <p class="tools" data-copy="${texts.copy}" data-copied="${texts.copied}" hidden>
      ${payment.paidAt && html`<button type="button" class="print">${texts.print}</button>`}
    </p>
  </div>`;
}

function factRow(name: string, value: Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** An id in groups of digits that are easy to read aloud and to type. The spaces are not part of a copied id. */
function groupDigits(id: string): Html {
  return html`${(id.match(/.{1,5}/g) ?? []).map((group) => html`<span>${group}</span>`)}`;
}

function returnedAmountNote({ amount, finishedAt, status }: Transaction, { language }: Checkout): Html {
  const { texts } = language;
  const sum = html`<bdi>${formatAmount(amount, language)}</bdi>`;
  const text =
    status === "SUCCESS" && finishedAt
      ? fillTemplate(texts.refunded, { amount: sum, date: dayElement(finishedAt, language) })
      : fillTemplate(texts.refundPending, { amount: sum });
  return html`<p class="given-back">${text}</p>`;
}
