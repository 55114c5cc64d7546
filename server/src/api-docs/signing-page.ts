import { html, type Html } from "../formats/html.ts";
import { sandboxPrefix } from "../merchants/client.ts";
import { languages, type Language } from "./call-samples.ts";
import { codeTabs } from "./code-block.ts";
import type { DocsPage } from "./docs-page.ts";
import { clientDefaults, examplesOf, sampleCallOf, type SiteFacts } from "./site-facts.ts";
import { firstOperation } from "./first-operation.ts";
import { sectionHeading, pageOpening, proseAndCode } from "./page-layout.ts";
import { jsonNotation, formatLiteral } from "./json-literal.ts";
import { renderProse } from "./prose.ts";
import { codeLink } from "./result-codes.ts";
import { verifySamples } from "./verify-samples.ts";

/** The page about signing: a figure of the signed text, part by part; the headers; and how to verify a response. */
export function signingPage(facts: SiteFacts): DocsPage {
  const title = "Signing";
  const description =
    "The bytes that you sign, the headers with the signature, and how you verify a response.";
  return {
    path: "/docs/signing",
    title,
    description,
    kind: "topic",
    content: () =>
      html`${pageOpening(title, description)} ${signedTextFigure(facts)} ${requestSection()}
      ${responseSection(facts)}`,
  };
}

function signedTextFigure(facts: SiteFacts): Html {
  const operation = firstOperation(facts);
  const call = operation && sampleCallOf(facts, operation, examplesOf(operation)[0].request);
  return html`${sectionHeading("signed-text", "What you sign")}
    <p class="intro">
      Two lines. The first says where the request goes, the second who sends it, when, and what: joined by
      dots, with no line feed at the end.
    </p>
    ${
      call &&
      html`<figure class="signed">
        <div class="signed-line">
          ${part("path", "POST", "method")}${separatorPart("␣", "a space")}${part("path", call.path, "path and query, as sent")}${separatorPart(
            "⏎",
            "a line feed",
          )}
        </div>
        <div class="signed-line">
          ${part("client", call.clientId, "client-id")}${separatorPart(".", "a dot")}${part(
            "time",
            "1794735000123",
            "request-time",
          )}${separatorPart(".", "a dot")}${part("body", formatLiteral(call.body, jsonNotation), "the body’s bytes, exactly as sent")}
        </div>
        <figcaption>
          <ol class="recipe">
            <li>SHA-256</li>
            <li>RSA, PKCS#1 v1.5</li>
            <li>base64</li>
            <li>percent-encode <code>+</code> <code>/</code> <code>=</code></li>
            <li><code>signature: algorithm=RSA256,keyVersion=1,signature=…</code></li>
          </ol>
        </figcaption>
      </figure>`
    }
    <p class="intro">
      Sign the bytes that you send: JSON that is serialised a second time may differ in a space, and then the
      signature does not match. If ${codeLink("INVALID_SIGNATURE")} is returned, the sandbox names in
      <code>resultHint</code> the key that made the signature, and the mistake in what you signed.
    </p>`;
}

function part(kind: string, text: string, label: string): Html {
  return html`<span class="part part-${kind}"><code>${text}</code><small>${label}</small></span>`;
}

function separatorPart(text: string, label: string): Html {
  return html`<span class="part glue"><code title="${label}">${text}</code></span>`;
}

function requestSection(): Html {
  return proseAndCode(
    html`${sectionHeading("request-headers", "Headers of a request")} ${headersTable(requestHeaders)}
      <p>
        You may hold several key versions at once; a revoked version is rejected within a second. Operators
        can change the ${clientDefaults.timeToleranceSeconds / 60} minutes of
        <code>request-time</code> for each merchant.
      </p>
      ${sectionHeading("answer-headers", "Headers of a response")} ${headersTable(answerHeaders)}`,
  );
}

function responseSection({ limits }: SiteFacts): Html {
  const entries = Object.entries(languages) as [Language, string][];
  return proseAndCode(
    html`${sectionHeading("verify", "Verify every answer")}
      <p>
        Responses are signed like requests, by the gateway’s key: the same two lines, with the path of
        <em>your</em> request, <code>response-time</code> for the time, and the response’s body. Check before
        you parse. The <a href="/docs/libraries">client libraries</a> do it for you.
      </p>
      <p>
        Rejections are signed too. Only responses under load are unsigned: those of load shedding, and those
        above ${limits.signedFailures.ratePerSecond} failed attempts a second from one address. They never say
        <code>S</code>.
      </p>
      <p>Each sample continues the request in that language that is signed by hand.</p>`,
    codeTabs(
      "verify-answer",
      "Verify an answer",
      entries.map(([language, label]) => ({
        value: language,
        label,
        language,
        code: verifySamples[language],
      })),
    ),
  );
}

type Headers = readonly (readonly [name: string, value: string, meaning: string])[];

const requestHeaders: Headers = [
  ["client-id", `${sandboxPrefix}…`, "Your client id. In the sandbox it starts with `SANDBOX_`."],
  [
    "request-time",
    "1794735000123",
    "When you signed: milliseconds since 1970, or ISO 8601 with an offset. At most " +
      `${clientDefaults.timeToleranceSeconds / 60} minutes off.`,
  ],
  [
    "signature",
    "algorithm=RSA256,keyVersion=1,signature=…",
    "`keyVersion` is the number that your public key was given, starting at 1.",
  ],
  ["content-type", "application/json; charset=UTF-8", "Always JSON, always UTF-8."],
];

const answerHeaders: Headers = [
  ["signature", "algorithm=RSA256,keyVersion=1,signature=…", "`keyVersion` is that of the gateway’s key."],
  ["response-time", "2026-11-15T09:30:07+00:00", "When the response was signed."],
  ["client-id", `${sandboxPrefix}…`, "The client id of the addressee."],
  ["request-id", "req_…", "Identifies this request in the gateway’s logs: quote it when you ask for help."],
  ["retry-after", "1", "Seconds to wait, if the request was rejected under load or by a rate limit."],
];

function headersTable(headers: Headers): Html {
  return html`<table class="headers stacks">
    <thead>
      <tr>
        <th scope="col">Header</th>
        <th scope="col">Value</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${headers.map(
        ([name, value, meaning]) =>
          html`<tr>
            <th scope="row"><code>${name}</code></th>
            <td><code>${value}</code></td>
            <td>${renderProse(meaning)}</td>
          </tr> `,
      )}
    </tbody>
  </table>`;
}
