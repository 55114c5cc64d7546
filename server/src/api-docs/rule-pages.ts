import { html, type Html, type HtmlPart } from "../formats/html.ts";
import { results, type ResultStatus } from "../core/result.ts";
import { outcomeMeanings } from "../payments/payment-outcome.ts";
import { sandboxPrefix } from "../merchants/client.ts";
import { codeBlock } from "./code-block.ts";
import type { DocsPage } from "./docs-page.ts";
import { clientDefaults, prefixes, type SiteFacts } from "./site-facts.ts";
import { sectionHeading, pageOpening, proseAndCode } from "./page-layout.ts";
import { jsonNotation, formatLiteral } from "./json-literal.ts";
import { codeAddress, codeLink, resultCodesTable, statusLetter } from "./result-codes.ts";
import { renderProse } from "./prose.ts";

/** A page about a rule for every operation. */
function rulePage(name: string, title: string, description: string, content: () => Html): DocsPage {
  return {
    path: `/docs/${name}`,
    title,
    description,
    kind: "topic",
    content: () => html`${pageOpening(title, description)} ${content()}`,
  };
}

export function environmentsPage({ environment }: SiteFacts): DocsPage {
  const description =
    "Sandbox and live, online and in-store: which path, which client id, and how to go live.";
  return rulePage("environments", "Environments and paths", description, () =>
    proseAndCode(
      html`<p>
          Every operation is a <code>POST</code>. The sandbox runs the same gateway as live, with simulated
          payment providers; nothing done there touches live data. This page comes from a
          <strong>${environment}</strong>
          gateway.
        </p>
        <table class="stacks">
          <thead>
            <tr>
              <th scope="col">Where</th>
              <th scope="col">Path</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">Sandbox, online payments</th>
              <td>${pathTemplate(prefixes.sandbox)}</td>
            </tr>
            <tr>
              <th scope="row">Sandbox, in-store payments</th>
              <td>${pathTemplate(prefixes.live)}, or the one above</td>
            </tr>
            <tr>
              <th scope="row">Live, all payments</th>
              <td>${pathTemplate(prefixes.live)}</td>
            </tr>
          </tbody>
        </table>
        ${sectionHeading("going-live", "Going live")}
        <p>
          Going live means another path, another client id and another key. Client ids of the sandbox start
          with
          <code>${sandboxPrefix}</code>, live ones never do, and each is unknown to the other side.
        </p>`,
    ),
  );
}

function pathTemplate(prefix: string): Html {
  return html`<code>${prefix}<var>area</var>/<var>operation</var></code>`;
}

const statusMeanings: readonly (readonly [ResultStatus, string, string])[] = [
  ["S", "It happened.", "The request succeeded. The payment's status or `isPaid` shows if it is paid."],
  ["F", "It did not.", "The code says why, and whether another attempt makes sense."],
  ["U", "It is unknown.", "The outcome is unknown. Send the same request again, or inquire."],
];

export function resultsPage(facts: SiteFacts): DocsPage {
  const description = "The meaning of `S`, `F` and `U`, and every result code with its advice.";
  return rulePage(
    "results",
    "Results",
    description,
    () => html`
      <ul class="cards">
        ${statusMeanings.map(
          ([letter, meaning, action]) =>
            html`<li class="card card-${letter}">
              ${statusLetter(letter)}<strong>${meaning}</strong><span>${renderProse(action)}</span>
            </li> `,
        )}
      </ul>
      ${resultFields(facts)} ${sectionHeading("paid", "When is a payment paid?")} ${paidTable()}
      ${sectionHeading("codes", "Every code")}
      ${proseAndCode(
        html`<p>A code has one status, wherever it appears.</p>
          ${resultCodesTable()}`,
      )}
    `,
  );
}

function resultFields({ baseUrl }: SiteFacts): Html {
  const { status, message, advice } = results.ORDER_NOT_EXIST;
  const exampleResult = {
    resultCode: "ORDER_NOT_EXIST",
    resultStatus: status,
    resultMessage: message,
    resultHint: advice,
    docUrl: baseUrl + codeAddress("ORDER_NOT_EXIST"),
  };
  return proseAndCode(
    html`<p>
        Every response of an operation is HTTP 200 and has a <code>result</code>. Branch on
        <code>resultStatus</code>, then on <code>resultCode</code>; a code that you do not know means what its
        status means. <code>resultMessage</code> is for people, and may change.
      </p>
      <p>
        The sandbox adds <code>resultHint</code>, what to do about it, <code>docUrl</code>, where to read
        more, and <code>resultField</code>, the wrong field or header. Next to the result it lists all
        <code>problems</code> of a rejected request, and <code>warnings</code> about fields that it ignored.
        Live adds none of them.
      </p>`,
    codeBlock({
      title: "A rejection, in the sandbox",
      language: "json",
      code: formatLiteral({ result: exampleResult }, jsonNotation),
    }),
  );
}

/** The table that says in words which outcomes mean that a payment is paid: `S` alone never means paid. */
function paidTable(): Html {
  const rows = [
    ["isPaid", outcomeMeanings.PAID],
    ["isAuthorized", outcomeMeanings.AUTHORIZED],
    ["isPending", outcomeMeanings.PENDING],
    ["isFailed", outcomeMeanings.FAILED],
  ] as const;
  return proseAndCode(
    html`<p>
        <code>S</code> of a response or of a webhook does not mean that money was taken. The webhook of a
        pending payment also says <code>S</code>, with <code>notifyType</code> <code>PAYMENT_PENDING</code>;
        so does <code>pay</code> when it returns a code to show. The libraries answer four questions about a
        payment and its webhook, and exactly one is true:
      </p>
      <table>
        <tbody>
          ${rows.map(
            ([name, meaning]) =>
              html`<tr>
                <th scope="row"><code>${name}</code></th>
                <td>${meaning}</td>
              </tr> `,
          )}
        </tbody>
      </table>
      <p>
        Without a library, a webhook means paid when <code>notifyType</code> is <code>PAYMENT_RESULT</code>,
        <code>resultStatus</code> is <code>S</code>, and <code>authExpiryTime</code> is absent; an inquiry,
        when <code>paymentStatus</code> is <code>SUCCESS</code> and <code>authExpiryTime</code> is absent.
        With <code>authExpiryTime</code> the money is authorized until you capture it.
      </p>`,
  );
}

/** The page about idempotency. It has only three sentences, so that merchants read it. */
export function idempotencyPage(): DocsPage {
  const description = "Why a repeated request takes effect once, and what to do after a lost response.";
  return rulePage(
    "idempotency",
    "Idempotency",
    description,
    () =>
      html`<p class="intro large">
        Each action has an id of yours, such as <code>paymentRequestId</code>, and takes effect once, however
        often you send it. After a lost response or a <code>U</code>, send the same request again: you get the
        outcome of the first. The same id with other content is rejected with
        ${codeLink("REPEAT_REQ_INCONSISTENT")}, and an id can never be used again.
      </p>`,
  );
}

export function limitsPage({ limits }: SiteFacts): DocsPage {
  const description = "Rate limits, sizes and timeouts, and what happens above them.";
  return rulePage("limits", "Limits", description, () =>
    proseAndCode(
      html`<table class="stacks">
          <thead>
            <tr>
              <th scope="col">Limit</th>
              <th scope="col">Value</th>
              <th scope="col">Above it</th>
            </tr>
          </thead>
          <tbody>
            ${limitRows(limits).map(
              ([limitName, amount, effect]) =>
                html`<tr>
                  <th scope="row">${limitName}</th>
                  <td>${amount}</td>
                  <td>${effect}</td>
                </tr> `,
            )}
          </tbody>
        </table>
        <p>
          An operator can change a client’s rate. A request above a limit gets <code>U</code> and has no
          effect: wait as long as <code>retry-after</code> says, then send the same request again.
        </p>`,
    ),
  );
}

function limitRows(limits: SiteFacts["limits"]): readonly (readonly [string, string, HtmlPart])[] {
  const { timeouts, concurrency: places } = limits;
  const { ratePerSecond, rateBurst } = clientDefaults;
  const trafficLimitLink = codeLink("REQUEST_TRAFFIC_EXCEED_LIMIT");
  const illegalParameterLink = codeLink("PARAM_ILLEGAL");
  return [
    [
      "Rate, for each client and operation",
      `${ratePerSecond} a second, bursts of ${rateBurst}`,
      trafficLimitLink,
    ],
    ["Concurrent requests of one process, by its load", `${places.min} to ${places.max}`, trafficLimitLink],
    ["Body", bytes(limits.bodyBytesMax), illegalParameterLink],
    ["Headers", `${limits.headersMax} headers`, illegalParameterLink],
    ["Headers, all together", bytes(limits.headerBytesMax), "HTTP 431"],
    ["Time to send the headers", seconds(timeouts.headersMs), "HTTP 408"],
    ["Time to send the whole request", seconds(timeouts.requestMs), "HTTP 408"],
    ["Idle connection", seconds(timeouts.keepAliveMs), "the gateway closes it"],
    [
      "Failed requests from one address",
      `${limits.signedFailures.ratePerSecond} a second`,
      "answers are not signed",
    ],
  ];
}

function number(count: number): string {
  return count.toLocaleString("en");
}

function bytes(count: number): string {
  return `${number(count / 1024)} KiB`;
}

function seconds(ms: number): string {
  return `${number(ms / 1000)} s`;
}
