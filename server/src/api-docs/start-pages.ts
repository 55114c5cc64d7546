import { html, type Html } from "../formats/html.ts";
import { results, toWireResult } from "../core/result.ts";
import { callSamples } from "./call-samples.ts";
import { codeBlock } from "./code-block.ts";
import type { DocsPage, DocsSite } from "./docs-page.ts";
import { operationAddress, examplesOf, sampleCallOf, type SiteFacts } from "./site-facts.ts";
import { firstOperation } from "./first-operation.ts";
import { sectionHeading, pageOpening, pageList, proseAndCode } from "./page-layout.ts";
import { jsonNotation, formatLiteral } from "./json-literal.ts";
import { codeLink, resultCodesList, statusLetter } from "./result-codes.ts";

/** The page at `/docs`. It lists all pages and all codes, so that readers without a script need no search. */
export function startPage(facts: SiteFacts): DocsPage {
  return {
    path: "/docs",
    title: "Overview",
    description: "Payments, one signed POST at a time: where to begin, and every page of these docs.",
    kind: "start",
    content: (site) => html`${welcomeSection(facts)} ${allPagesList(site)}`,
  };
}

function welcomeSection({ operations, baseUrl }: SiteFacts): Html {
  return html`<div class="opening">
    <p class="eyebrow">API v1</p>
    <h1>Payments, one signed&nbsp;POST at a&nbsp;time.</h1>
    <p class="lede">
      You sign a JSON request. The gateway signs its response, which gives the outcome in one letter:
      <span>${statusLetter("S")} it happened,</span> <span>${statusLetter("F")} it did not,</span>
      <span>${statusLetter("U")} the outcome is unknown.</span>
    </p>
    <p>
      Every response of an operation is HTTP 200, also a rejection. <code>curl -f</code>,
      <code>fetch().ok</code> and the error rate of a proxy see no failure: read <code>result</code> in the
      body.
    </p>
    <dl class="glance">
      <div>
        <dt>This gateway</dt>
        <dd><code>${baseUrl}</code></dd>
      </div>
      <div>
        <dt>Operations</dt>
        <dd>${operations.length}</dd>
      </div>
      <div>
        <dt>Result codes</dt>
        <dd>${Object.keys(results).length}</dd>
      </div>
    </dl>
  </div>`;
}

/** Every group of the contents, each page with its description. */
function allPagesList({ groups, pages: [self] }: DocsSite): Html {
  return html`${groups.map(({ title, page, pages }) => {
      const others = pages.filter((each) => each !== self);
      return html`<section>
        <h2>${page ? html`<a href="${page.path}">${title}</a>` : title}</h2>
        ${pageList(others)}
      </section> `;
    })}
    <section>${sectionHeading("result-codes", "Result codes")} ${resultCodesList()}</section>`;
}

/** The page about the first request: from a new key pair to a signed response, with tools that every developer has. */
export function firstRequestPage(facts: SiteFacts): DocsPage {
  const title = "Your first signed request";
  const description =
    "From a key pair to a signed response in four steps, with nothing but openssl and curl.";
  return {
    path: "/docs/first-request",
    title,
    description,
    kind: "topic",
    content: () =>
      html`${pageOpening(title, description)}
        <ol class="steps" id="steps">
          ${[...preparationSteps, ...firstCallSteps(facts)].map((step) => html`<li>${step}</li> `)}
        </ol>`,
  };
}

const preparationSteps: readonly Html[] = [
  proseAndCode(
    html`<h2>Make a key pair</h2>
      <p>RSA, 2048 to 4096 bits. The private half never leaves you.</p>
      <p>
        <code>tollgate dev</code> has made keys and a client id for you, and its pages have them in all
        samples: go on with the third step.
      </p>`,
    codeBlock({
      title: "In a shell",
      language: "curl",
      code: [
        "openssl genpkey -algorithm RSA -out private.pem \\",
        "  -pkeyopt rsa_keygen_bits:2048",
        "openssl pkey -in private.pem -pubout -out public.pem",
      ].join("\n"),
    }),
  ),
  proseAndCode(
    html`<h2>Register the public key</h2>
      <p>
        The operator of this gateway registers <code>public.pem</code>, and gives you a client id and the
        gateway’s own public key: save it as <code>gateway.pem</code>. If you run the gateway yourself, this
        command prints both.
      </p>`,
    codeBlock({
      title: "On the gateway",
      language: "curl",
      code: "node server/src/main.ts merchant add \\\n  --name 'Coffee Lab' --public-key public.pem",
    }),
  ),
];

function firstCallSteps(facts: SiteFacts): readonly Html[] {
  const operation = firstOperation(facts);
  if (!operation) return [];
  const call = sampleCallOf(facts, operation, examplesOf(operation)[0].request);
  return [
    proseAndCode(
      html`<h2>Sign and send</h2>
        <p>
          Put in your client id, and paste. This calls
          <a href="${operationAddress(operation)}"><code>${operation.path}</code></a
          >, which lists your open records, with openssl and curl.
        </p>`,
      codeBlock({ title: "In a shell", language: "curl", code: callSamples.curl(call) }),
    ),
    proseAndCode(
      html`<h2>Read the response</h2>
        <p>
          Read <code>resultStatus</code> first. Any code except ${codeLink("INVALID_SIGNATURE")},
          ${codeLink("KEY_NOT_FOUND")} and ${codeLink("UNKNOWN_CLIENT")} means that your signature is valid.
        </p>
        <p>
          If it is not, the sandbox helps: <code>resultHint</code> names the key that made the signature, the
          mistake in what you signed, and how many bytes it verified. <code>docUrl</code> leads to the code in
          these docs.
        </p>
        <p>Next: <a href="/docs/libraries">with a client library</a>, which signs and verifies for you.</p>`,
      codeBlock({
        title: "Response without open records",
        language: "json",
        code: formatLiteral({ result: { ...toWireResult("SUCCESS") }, records: [] }, jsonNotation),
      }),
    ),
  ];
}
