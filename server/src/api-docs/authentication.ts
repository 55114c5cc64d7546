import { sandboxPrefix } from "../merchants/client.ts";
import { codeInEveryLanguage } from "./code-block.ts";
import { clientDefaults, type Facts } from "./facts.ts";
import { html, type Html } from "../core/html.ts";
import { prose } from "./prose.ts";
import { row, type Section } from "./layout.ts";
import { codeLink } from "./result-codes.ts";
import { verifySamples } from "./verify-samples.ts";

export function authentication({ limits }: Facts): Section {
  return {
    id: "authentication",
    title: "Authentication",
    content: html`${row(
      html`<h3>Headers of a request</h3>
        ${headersTable(requestHeaders)}
        <p>
          You may hold several key versions at once; a version that is revoked is refused within a second.
          Operators can change the ${clientDefaults.timeToleranceSeconds / 60} minutes of
          <code>request-time</code> for each merchant.
        </p>
        <h3>Headers of an answer</h3>
        ${headersTable(answerHeaders)}`,
    )}
    ${row(
      html`<h3>Verify every answer</h3>
        <p>
          Answers are signed like requests, by the gateway’s key: the same two lines, with the path of
          <em>your</em> request, <code>response-time</code> for the time, and the answer’s body. Check before
          you parse.
        </p>
        <p>
          Refusals are signed too. Unsigned are only answers to a flood: those that shed load, and those
          beyond ${limits.signedFailures.ratePerSecond} failed attempts a second from one address. They never
          say
          <code>S</code>.
        </p>
        <p>Each sample goes on where the call in that language ends.</p>`,
      codeInEveryLanguage("verify", "Verify an answer", (language) => verifySamples[language]),
    )}`,
  };
}

type Headers = readonly (readonly [name: string, value: string, meaning: string])[];

const requestHeaders: Headers = [
  ["client-id", `${sandboxPrefix}…`, "Who you are. Client ids of the sandbox start with `SANDBOX_`."],
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
  ["response-time", "2026-11-15T09:30:07+00:00", "When the answer was signed."],
  ["client-id", `${sandboxPrefix}…`, "To whom it is addressed."],
  ["request-id", "req_…", "Names this call in the gateway’s logs: quote it when you ask for help."],
  ["retry-after", "1", "Seconds, when there was too much at once."],
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
            <td>${prose(meaning)}</td>
          </tr> `,
      )}
    </tbody>
  </table>`;
}

/** In three sentences, because nobody reads a fourth. */
export function idempotency(): Section {
  return {
    id: "idempotency",
    title: "Idempotency",
    content: html`<p class="intro large">
      What you send has an id of yours, such as <code>paymentRequestId</code>, and happens once however often
      you send it. After a lost answer or a <code>U</code>, send the same request again: you are told what
      became of the first. The same id with other content is refused with
      ${codeLink("REPEAT_REQ_INCONSISTENT")}, and an id is never free again.
    </p>`,
  };
}
