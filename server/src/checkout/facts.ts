import { html, type Html } from "../formats/html.ts";
import { readOrderShown } from "../payments/order-shown.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { Checkout } from "./checkout.ts";
import { fill } from "./language.ts";
import { merchantIn, providerIn } from "./names.ts";
import { amountText } from "./shown-amount.ts";
import { dayElement, timeElement } from "./time-element.ts";

/**
 * Details that a buyer needs for later questions about this payment: its outcome, and the ids by which support finds
 * it.
 */
export function facts(checkout: Checkout): Html {
  const { payment, now, language, brand } = checkout;
  const { texts } = language;
  const order = readOrderShown(payment.orderShown);
  return html`<div class="facts">
    ${(checkout.givenBack ?? []).map((each) => givenBack(each, checkout))}
    <dl>
      ${payment.paidAt && fact(texts.paidAt, timeElement(payment.paidAt, now, language))}
      ${payment.paidAt && fact(texts.paidWith, html`<bdi>${providerIn(checkout)}</bdi>`)}
      ${order && fact(texts.orderNumber, html`<bdi class="copied">${order.number}</bdi>`)}
      ${fact(texts.reference, html`<bdi class="reference copied">${inGroups(payment.paymentId)}</bdi>`)}
    </dl>
    ${
      brand.supportUrl &&
      html`<a href="${brand.supportUrl}" rel="noreferrer"
        >${fill(texts.help, { merchant: merchantIn(checkout) })}</a
      >`
    }
    <p class="tools" data-copy="${texts.copy}" data-copied="${texts.copied}" hidden>
      ${payment.paidAt && html`<button type="button" class="print">${texts.print}</button>`}
    </p>
  </div>`;
}

function fact(name: string, value: Html): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** An id in groups of digits that are easy to read aloud and to type. The spaces are not part of a copied id. */
function inGroups(id: string): Html {
  return html`${(id.match(/.{1,5}/g) ?? []).map((group) => html`<span>${group}</span>`)}`;
}

function givenBack({ amount, finishedAt, status }: Transaction, { language }: Checkout): Html {
  const { texts } = language;
  const sum = html`<bdi>${amountText(amount, language)}</bdi>`;
  const text =
    status === "SUCCESS" && finishedAt
      ? fill(texts.givenBack, { amount: sum, date: dayElement(finishedAt, language) })
      : fill(texts.givingBack, { amount: sum });
  return html`<p class="given-back">${text}</p>`;
}
