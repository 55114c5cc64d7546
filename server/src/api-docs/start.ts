import type { Operation } from "../api/operation.ts";
import { results } from "../core/result.ts";
import { callSamples } from "./call-samples.ts";
import { codeBlock } from "./code-block.ts";
import { anchorOf, firstOperation, sampleAnswerOf, sampleCallOf, type Facts } from "./facts.ts";
import { html, type Html } from "../core/html.ts";
import { row, type Section } from "./layout.ts";
import { json, literal } from "./literal.ts";
import { codeLink, statusLetter } from "./result-codes.ts";

export function opening({ operations, baseUrl }: Facts): Html {
  return html`<div class="opening">
    <p class="eyebrow">API reference · v1</p>
    <h1>Payments, one signed&nbsp;POST at a&nbsp;time.</h1>
    <p class="lede">
      You sign a JSON request. The gateway signs its answer, and says in one letter what became of it:
      <span>${statusLetter("S")} it happened,</span> <span>${statusLetter("F")} it did not,</span>
      <span>${statusLetter("U")} nobody knows yet.</span>
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

/** From nothing to a signed answer, with tools that every developer has. */
function start(facts: Facts): Section {
  const first = firstOperation(facts);
  const steps = first ? [...preparation, ...firstCall(facts, first)] : preparation;
  return {
    id: "start",
    title: "Your first signed request",
    content: html`<ol class="steps">
      ${steps.map((step) => html`<li>${step}</li> `)}
    </ol>`,
  };
}

const preparation: readonly Html[] = [
  row(
    html`<h3>Make a key pair</h3>
      <p>RSA, 2048 to 4096 bits. The private half never leaves you.</p>`,
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
  row(
    html`<h3>Hand in the public half</h3>
      <p>
        Whoever runs this gateway registers <code>public.pem</code>, and gives you a client id and the
        gateway’s own public key: keep it as <code>gateway.pem</code>. If you run the gateway yourself, this
        command prints both.
      </p>`,
    codeBlock({
      title: "On the gateway",
      language: "curl",
      code: "node server/src/main.ts merchant add \\\n  --name 'Coffee Lab' --public-key public.pem",
    }),
  ),
];

function firstCall(facts: Facts, operation: Operation): readonly Html[] {
  return [
    row(
      html`<h3>Sign and send</h3>
        <p>
          Put in your client id, and paste. This calls
          <a href="#${anchorOf(operation)}"><code>${operation.path}</code></a> with openssl and curl.
        </p>`,
      codeBlock({
        title: "In a shell",
        language: "curl",
        code: callSamples.curl(sampleCallOf(facts, operation)),
      }),
    ),
    row(
      html`<h3>Read the answer</h3>
        <p>
          <code>resultStatus</code> speaks first. Any code but ${codeLink("INVALID_SIGNATURE")},
          ${codeLink("KEY_NOT_FOUND")} and ${codeLink("UNKNOWN_CLIENT")} means that your signature holds.
        </p>
        <p>
          If it does not, the sandbox helps: <code>resultHint</code> tells which key made the signature, which
          slip leads to what you signed, and how many bytes it verified. <code>docUrl</code> leads to the code
          on this page.
        </p>`,
      codeBlock({ title: "Answer", language: "json", code: literal(sampleAnswerOf(operation), json) }),
    ),
  ];
}

/** The text that a signature covers, drawn part by part. */
function signing(facts: Facts): Section {
  const first = firstOperation(facts);
  const call = first && sampleCallOf(facts, first);
  return {
    id: "signing",
    title: "What you sign",
    content: html`<p class="intro">
        Two lines. The first says where the request goes, the second who sends it, when, and what: joined by
        dots, with no line feed at the end.
      </p>
      ${
        call &&
        html`<figure class="signed">
          <div class="signed-line">
            ${part("path", "POST", "method")}${glue("␣", "a space")}${part("path", call.path, "path and query, as sent")}${glue(
              "⏎",
              "a line feed",
            )}
          </div>
          <div class="signed-line">
            ${part("client", call.clientId, "client-id")}${glue(".", "a dot")}${part(
              "time",
              "1794735000123",
              "request-time",
            )}${glue(".", "a dot")}${part("body", literal(call.body, json), "the body’s bytes, exactly as sent")}
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
        Sign the bytes that you send: JSON that is written a second time may differ in a blank, and then the
        signature does not match.
      </p>`,
  };
}

function part(kind: string, text: string, label: string): Html {
  return html`<span class="part part-${kind}"><code>${text}</code><small>${label}</small></span>`;
}

function glue(text: string, label: string): Html {
  return html`<span class="part glue"><code title="${label}">${text}</code></span>`;
}

export function startSections(facts: Facts): readonly Section[] {
  return [start(facts), signing(facts)];
}
