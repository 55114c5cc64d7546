import { notifications, type ToldNews } from "../api/notifications.ts";
import { html, type Html } from "../core/html.ts";
import { codeBlock } from "./code-block.ts";
import { fieldsTable } from "./fields.ts";
import { row, type Section } from "./layout.ts";
import { json, literal, type Json } from "./literal.ts";
import { prose } from "./prose.ts";

/** All notifications (webhooks) to merchants. */
export function notificationsSection(): Section {
  const intro =
    "We post these to your address, with the headers `client-id`, `request-time` and `signature`: check the signature with our " +
    "public key over `POST <path and query of your address>\\n<client-id>.<request-time>.<body>`, exactly as it arrived. " +
    'Answer `200` with `{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}`; anything else, ' +
    "and silence, is asked again: eight times in a day. The same news may come twice, and late: `sequence` tells.";
  return {
    id: "notifications",
    title: "Notifications",
    content: html`<p class="intro">${prose(intro)}</p>
      ${notifications.map(article)}`,
  };
}

function article({ kind, summary, body, example }: ToldNews): Html {
  const text = html`<h3 id="${kind}-title">
      ${kind}<a class="anchor" href="#${kind}" aria-label="Link to ${kind}">#</a>
    </h3>
    <p class="summary">${prose(summary)}</p>
    ${fieldsTable({
      caption: "Body",
      schema: body,
      presence: { title: "Present", required: "always", optional: "if any" },
      patterns: false,
    })}`;
  return html`<article id="${kind}" aria-labelledby="${kind}-title">
    ${row(text, codeBlock({ title: "Body", language: "json", code: literal(example as Json, json) }))}
  </article> `;
}
