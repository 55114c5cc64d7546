import { notifications } from "../api/notifications.ts";
import type { ToldNews } from "../api/told-news.ts";
import { html, type Html } from "../core/html.ts";
import type { NotificationKind } from "../notifications/notification.ts";

import { codeBlock } from "./code-block.ts";
import type { DocsPage, PageGroup } from "./docs-page.ts";
import { fieldsTable } from "./fields.ts";
import { pageList } from "./layout.ts";
import { json, literal, type Json } from "./literal.ts";
import { prose } from "./prose.ts";

/** The notification that tells how an operation ended, by the operation's path. */
export const toldBy: Readonly<Record<string, NotificationKind | undefined>> = {
  "payments/pay": "notifyPayment",
  "payments/createPaymentSession": "notifyPayment",
  "payments/capture": "notifyCapture",
  "payments/refund": "notifyRefund",
  "payments/acceptDispute": "notifyDispute",
  "payments/supplyDefenseDocument": "notifyDispute",
  "authorizations/consult": "notifyAuthorization",
  "authorizations/applyToken": "notifyAuthorization",
  "merchants/registration": "notifyRegistrationStatus",
};

const acknowledgement = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}';

const rules: readonly string[] = [
  "We post them to your address, with the headers `client-id`, `request-time` and `signature`. Check the signature with our " +
    "public key over `POST <path and query of your address>\\n<client-id>.<request-time>.<body>`, exactly as it arrived.",
  `Answer HTTP \`200\` with \`${acknowledgement}\`. Anything else, and silence, is asked again: eight times in a day.`,
  "Deliver when `isPaid` of the payment notification is true, and on nothing else. The notification of a pending payment also says `S`: " +
    "read `notifyType` before `result`. Only `PAYMENT_RESULT` with `S` and without `authExpiryTime` means paid.",
  "The same news may come twice, and late: `sequence` tells which of two is newer.",
];

/** All notifications (webhooks) to merchants: what holds for each, and a page for each kind. */
export function notificationGroup(guides: readonly DocsPage[]): PageGroup {
  const guide = guides.find(({ path }) => path === "/docs/guides/notifications");
  const pages = notifications.map(notificationPage);
  const title = "Notifications";
  const description = "What the gateway tells you by itself (webhooks), how to verify it and how to answer.";
  const content = (): Html =>
    html`<div class="prose">
      <h1>${title}</h1>
      <p class="lede">${description}</p>
      ${rules.map((rule) => html`<p>${prose(rule)}</p>`)}
      <p>
        They go to the address in the request, such as <code>paymentNotifyUrl</code>, else to the one that you
        set with <a href="/docs/tollgate/changeEndpoints"><code>changeEndpoints</code></a
        >. All of them are also in the feed,
        <a href="/docs/tollgate/inquiryEvents"><code>inquiryEvents</code></a
        >; what was sent, and what your system answered, shows
        <a href="/docs/tollgate/inquiryNotifications"><code>inquiryNotifications</code></a
        >, and <a href="/docs/tollgate/resendNotifications"><code>resendNotifications</code></a> sends it
        again.
      </p>
      ${guide && receiversIn(guide)} ${pageList(pages)}
    </div>`;
  return { title, page: { path: "/docs/notifications", title, description, kind: "topic", content }, pages };
}

function receiversIn({ path, title }: DocsPage): Html {
  return html`<p>
    The guide <a href="${path}#the-receiver-in-your-language">${title}</a> has a whole receiver in five
    languages. <code>tollgate conform receiver</code> checks yours: run it before you go live.
  </p>`;
}

function notificationPage(news: ToldNews): DocsPage {
  const { kind, summary } = news;
  return {
    path: `/docs/notifications/${kind}`,
    title: kind,
    description: summary,
    kind: "notification",
    content: () => notificationContent(news),
  };
}

function notificationContent({ kind, summary, body, example, scenes = [] }: ToldNews): Html {
  return html`<article class="operation-page" data-notification="${kind}">
    <div class="prose intro">
      <h1>${kind}</h1>
      <p class="lede">${prose(summary)}</p>
      <p>Verify it, act on it once, and answer: see <a href="/docs/notifications">Notifications</a>.</p>
    </div>
    <div class="beside">
      ${codeBlock({ title: "Body", language: "json", code: literal(example as Json, json) })}
      ${scenes.map(
        ({ title, body: other }) =>
          html`<details class="scene">
            <summary>${title}</summary>
            ${codeBlock({ title: "Body", language: "json", code: literal(other as Json, json) })}
          </details> `,
      )}
      ${codeBlock({ title: "Your answer", language: "json", code: acknowledgement })}
    </div>
    <div class="prose">
      ${fieldsTable({
        id: "body",
        title: "Body",
        schema: body,
        presence: { title: "Present", required: "always", optional: "if any" },
        patterns: false,
      })}
    </div>
  </article> `;
}
