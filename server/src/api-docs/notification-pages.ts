import { notifications } from "../catalog/notifications.ts";
import type { WebhookKind } from "../catalog/webhook-kind.ts";
import { html, type Html } from "../formats/html.ts";
import { kindFacts, type NotificationKind } from "../notifications/notification-kinds.ts";

import { codeBlock } from "./code-block.ts";
import type { DocsPage, PageGroup } from "./docs-page.ts";
import { fieldsTable } from "./fields.ts";
import { pageList } from "./page-layout.ts";
import { jsonNotation, formatLiteral, type Json } from "./json-literal.ts";
import { renderProse } from "./prose.ts";

/** Maps the path of an operation to the webhook that reports its outcome. */
export const webhookByOperation: Readonly<Record<string, NotificationKind | undefined>> = Object.fromEntries(
  kindFacts.flatMap(([kind, { operations = [] }]) => operations.map((path) => [path, kind])),
);

const acknowledgement = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}';

const commonRules: readonly string[] = [
  "The gateway sends them to your address by POST, with the headers `client-id`, `request-time` and `signature`. Verify the signature with our " +
    "public key over `POST <path and query of your address>\\n<client-id>.<request-time>.<body>`, exactly as it arrived.",
  `Answer HTTP \`200\` with \`${acknowledgement}\`. After any other response, or none, the webhook is retried: eight times in a day.`,
  "Deliver only when `isPaid` of the payment webhook is true. The webhook of a pending payment also says `S`: " +
    "read `notifyType` before `result`. Only `PAYMENT_RESULT` with `S` and without `authExpiryTime` means paid.",
  "A webhook may arrive twice, and late: `sequence` shows which of two is newer.",
];

/** All webhooks (notifications) to merchants: the common rules, and a page for each kind. */
export function notificationGroup(guides: readonly DocsPage[]): PageGroup {
  const guide = guides.find(({ path }) => path === "/docs/guides/notifications");
  const pages = notifications.map(notificationPage);
  const title = "Webhooks";
  const description = "Webhooks that the gateway sends to you: how to verify and how to acknowledge them.";
  const content = (): Html =>
    html`<div class="prose">
      <h1>${title}</h1>
      <p class="lede">${description}</p>
      ${commonRules.map((rule) => html`<p>${renderProse(rule)}</p>`)}
      <p>
        They go to the address in the request, such as <code>paymentNotifyUrl</code>, else to the one that you
        set with <a href="/docs/tollgate/changeEndpoints"><code>changeEndpoints</code></a
        >. All of them are also in the event feed,
        <a href="/docs/tollgate/inquiryEvents"><code>inquiryEvents</code></a
        >. The deliveries and your system's responses are in
        <a href="/docs/tollgate/inquiryNotifications"><code>inquiryNotifications</code></a
        >, and <a href="/docs/tollgate/resendNotifications"><code>resendNotifications</code></a> resends them.
      </p>
      ${guide && receiverNote(guide)} ${pageList(pages)}
    </div>`;
  return { title, page: { path: "/docs/notifications", title, description, kind: "topic", content }, pages };
}

function receiverNote({ path, title }: DocsPage): Html {
  return html`<p>
    The guide <a href="${path}#the-receiver-in-your-language">${title}</a> has a complete receiver in five
    languages. <code>tollgate conform receiver</code> checks yours: run it before you go live.
  </p>`;
}

function notificationPage(webhook: WebhookKind): DocsPage {
  const { kind, summary } = webhook;
  return {
    path: `/docs/notifications/${kind}`,
    title: kind,
    description: summary,
    kind: "notification",
    content: () => notificationContent(webhook),
  };
}

function notificationContent({ kind, summary, body, example, moreExamples = [] }: WebhookKind): Html {
  return html`<article class="operation-page" data-notification="${kind}">
    <div class="prose intro">
      <h1>${kind}</h1>
      <p class="lede">${renderProse(summary)}</p>
      <p>Verify it, act on it once, and acknowledge it: see <a href="/docs/notifications">Webhooks</a>.</p>
    </div>
    <div class="beside">
      ${codeBlock({ title: "Body", language: "json", code: formatLiteral(example as Json, jsonNotation) })}
      ${moreExamples.map(
        ({ title, body: other }) =>
          html`<details class="scene">
            <summary>${title}</summary>
            ${codeBlock({ title: "Body", language: "json", code: formatLiteral(other as Json, jsonNotation) })}
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
