import { describeNeeds } from "../contract/needed-fields.ts";
import type { Operation } from "../contract/operation.ts";
import { html, type Html } from "../formats/html.ts";
import { requestValidationCodes, results, type ResultCode } from "../core/result.ts";
import { codeBlock } from "./code-block.ts";
import { callTabs } from "./call-tabs.ts";
import { addressOf, callPath, examplesOf, nameOf, type Facts, type Shown } from "./facts.ts";
import { fieldsTable } from "./fields.ts";
import { json, literal } from "./literal.ts";
import { toldBy } from "./notification-pages.ts";
import { prose } from "./prose.ts";
import { codeAddress, codeLink } from "./result-codes.ts";

/** The page of one operation, generated from the operation's value. */
export function operationContent(facts: Facts, operation: Operation): Html {
  const { path, summary, description } = operation;
  return html`<article class="operation-page" data-operation="${path}">
    <div class="prose intro">
      <h1>${nameOf(operation)}</h1>
      <p class="lede">${prose(summary)}</p>
      ${paths(operation)}
      ${description && html`<p>${prose(description, (word) => hrefOf(facts, operation, word))}</p>`}
      ${repeats(operation)} ${told(operation)}
    </div>
    <div class="beside">${examples(facts, operation)}</div>
    <div class="prose">${requestFields(operation)} ${responseFields(operation)} ${resultsOf(operation)}</div>
  </article> `;
}

/** The examples of an operation: the first is open, the others are collapsed. */
function examples(facts: Facts, operation: Operation): Html {
  const [usual, ...others] = examplesOf(operation);
  const tabs = ({ request }: Shown, index: number): Html => callTabs(facts, operation, request, index);
  return html`${tabs(usual, 0)}
  ${codeBlock({ title: "Request body", language: "json", code: literal(usual.request, json) })}
  ${codeBlock({ title: "Answer", language: "json", code: literal(usual.answer, json) })}
  ${others.length > 0 ? html`<h2 id="examples" class="more-examples">More examples</h2>` : undefined}
  ${others.map(
    (shown, index) =>
      html`<details class="scene">
        <summary>${shown.title}</summary>
        ${tabs(shown, index + 1)}
        ${codeBlock({ title: "Request body", language: "json", code: literal(shown.request, json) })}
        ${codeBlock({ title: "Answer", language: "json", code: literal(shown.answer, json) })}
      </details> `,
  )}`;
}

/** The address of a code or operation that a description names. Operations of the same area take precedence. */
function hrefOf({ operations }: Facts, from: Operation, word: string): string | undefined {
  if (Object.hasOwn(results, word)) return codeAddress(word as ResultCode);
  const named = operations.filter((operation) => nameOf(operation) === word && operation !== from);
  const area = from.path.slice(0, from.path.indexOf("/") + 1);
  const meant = named.find(({ path }) => path.startsWith(area)) ?? named[0];
  return meant && addressOf(meant);
}

function paths({ path, inStore }: Operation): Html {
  return html`<dl class="paths">
    <dt>Sandbox</dt>
    <dd><b>POST</b> ${breakable(callPath("sandbox", path))}</dd>
    <dt>Live${inStore ? ", and in-store payments of the sandbox" : undefined}</dt>
    <dd><b>POST</b> ${breakable(callPath("live", path))}</dd>
  </dl>`;
}

/** Idempotency: what the page says about the effect of sending a request a second time. */
function repeats(operation: Operation): Html {
  if ("find" in operation) return html`<p>It only reads, so send it as often as you like.</p>`;
  if ("change" in operation) return html`<p>Sent twice, it has the same effect as sent once.</p>`;
  const { id, same } = operation.once;
  return html`<p>
      Sent twice with the same <code>${id}</code>, it <a href="/docs/idempotency">happens once</a>.
    </p>
    ${
      same.length === 0
        ? undefined
        : html`<details class="more">
            <summary>A repeat must be equal in ${same.length} fields</summary>
            <ul>
              ${same.map((field) => html`<li><code>${field}</code></li> `)}
            </ul>
          </details>`
    }`;
}

/** The webhook that reports the outcome of the operation. */
function told({ path }: Operation): Html | undefined {
  const kind = toldBy[path];
  return (
    kind &&
    html`<p>
      The outcome is reported by the webhook <a href="/docs/notifications/${kind}"><code>${kind}</code></a
      >.
    </p>`
  );
}

/** The path as HTML: a long path may break only after a slash. */
function breakable(path: string): Html {
  const parts = path.split(/(?<=\/)/);
  return html`<code>${parts.map((part) => html`${part}<wbr />`)}</code>`;
}

function requestFields({ request, needs }: Operation): Html {
  return fieldsTable({
    id: "request",
    title: "Request",
    schema: describeNeeds(request, needs),
    presence: { title: "Required", required: "required", optional: "optional", depends: "depends" },
    patterns: true,
  });
}

const resultRow = html`<tr id="answer.result">
  <th scope="row"><code>result</code></th>
  <td>Result</td>
  <td>always</td>
  <td></td>
  <td>
    The result of the request: see <a href="/docs/results">Results</a>. A rejection may have no other field.
    Next to it the sandbox lists <code>problems</code> of a rejected request, and in <code>warnings</code> the
    fields that it ignored.
  </td>
</tr> `;

/** The fields of a response. Only `result` is required: a rejection may have no other field. */
function responseFields({ response }: Operation): Html {
  return fieldsTable({
    id: "answer",
    title: "Answer",
    schema: response,
    presence: { title: "Present", required: "yes", optional: "if any" },
    patterns: false,
    first: resultRow,
  });
}

function resultsOf({ results: own }: Operation): Html {
  const door: readonly ResultCode[] = requestValidationCodes.filter((code) => !own.includes(code));
  return html`<h2 id="results">
      Results<a class="anchor" href="#results" aria-label="Link to Results">#</a>
    </h2>
    <ul class="own-results">
      ${own.map((code) => html`<li>${codeLink(code)} <span>${prose(results[code].message)}</span></li> `)}
    </ul>
    <details class="more">
      <summary>${door.length} more that any operation can give</summary>
      <ul>
        ${door.map((code) => html`<li>${codeLink(code)}</li> `)}
      </ul>
    </details>`;
}
