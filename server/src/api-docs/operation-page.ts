import { describeRequiredFields } from "../contract/describe-required-fields.ts";
import type { Operation } from "../contract/operation.ts";
import { html, type Html } from "../formats/html.ts";
import { requestValidationCodes, results, type ResultCode } from "../core/result.ts";
import { codeBlock } from "./code-block.ts";
import { callTabs } from "./call-tabs.ts";
import {
  operationAddress,
  callPath,
  examplesOf,
  operationName,
  type SiteFacts,
  type ShownExample,
} from "./site-facts.ts";
import { fieldsTable } from "./fields.ts";
import { jsonNotation, formatLiteral } from "./json-literal.ts";
import { webhookByOperation } from "./notification-pages.ts";
import { renderProse } from "./prose.ts";
import { codeAddress, codeLink } from "./result-codes.ts";

/** The page of one operation, generated from the operation's value. */
export function operationContent(facts: SiteFacts, operation: Operation): Html {
  const { path, summary, description } = operation;
  return html`<article class="operation-page" data-operation="${path}">
    <div class="prose intro">
      <h1>${operationName(operation)}</h1>
      <p class="lede">${renderProse(summary)}</p>
      ${pathList(operation)}
      ${description && html`<p>${renderProse(description, (word) => hrefOf(facts, operation, word))}</p>`}
      ${repeatNote(operation)} ${webhookNote(operation)}
    </div>
    <div class="beside">${examples(facts, operation)}</div>
    <div class="prose">
      ${requestFields(operation)} ${responseFields(operation)} ${renderResults(operation)}
    </div>
  </article> `;
}

/** The examples of an operation: the first is open, the others are collapsed. */
function examples(facts: SiteFacts, operation: Operation): Html {
  const [firstExample, ...others] = examplesOf(operation);
  const tabs = ({ request }: ShownExample, index: number): Html => callTabs(facts, operation, request, index);
  return html`${tabs(firstExample, 0)}
  ${codeBlock({ title: "Request body", language: "json", code: formatLiteral(firstExample.request, jsonNotation) })}
  ${codeBlock({ title: "Answer", language: "json", code: formatLiteral(firstExample.answer, jsonNotation) })}
  ${others.length > 0 ? html`<h2 id="examples" class="more-examples">More examples</h2>` : undefined}
  ${others.map(
    (example, index) =>
      html`<details class="scene">
        <summary>${example.title}</summary>
        ${tabs(example, index + 1)}
        ${codeBlock({ title: "Request body", language: "json", code: formatLiteral(example.request, jsonNotation) })}
        ${codeBlock({ title: "Answer", language: "json", code: formatLiteral(example.answer, jsonNotation) })}
      </details> `,
  )}`;
}

/** The address of a code or operation that a description names. Operations of the same area take precedence. */
function hrefOf({ operations }: SiteFacts, operationOfText: Operation, word: string): string | undefined {
  if (Object.hasOwn(results, word)) return codeAddress(word as ResultCode);
  const candidates = operations.filter(
    (operation) => operationName(operation) === word && operation !== operationOfText,
  );
  const area = operationOfText.path.slice(0, operationOfText.path.indexOf("/") + 1);
  const target = candidates.find(({ path }) => path.startsWith(area)) ?? candidates[0];
  return target && operationAddress(target);
}

function pathList({ path, inStore }: Operation): Html {
  return html`<dl class="paths">
    <dt>Sandbox</dt>
    <dd><b>POST</b> ${breakAfterSlash(callPath("sandbox", path))}</dd>
    <dt>Live${inStore ? ", and in-store payments of the sandbox" : undefined}</dt>
    <dd><b>POST</b> ${breakAfterSlash(callPath("live", path))}</dd>
  </dl>`;
}

/** Idempotency: what the page says about the effect of sending a request a second time. */
function repeatNote(operation: Operation): Html {
  if ("find" in operation) return html`<p>It only reads, so send it as often as you like.</p>`;
  if ("change" in operation) return html`<p>Sent twice, it has the same effect as sent once.</p>`;
  const { keyField, comparedFields } = operation.idempotency;
  return html`<p>
      Sent twice with the same <code>${keyField}</code>, it <a href="/docs/idempotency">happens once</a>.
    </p>
    ${
      comparedFields.length === 0
        ? undefined
        : html`<details class="more">
            <summary>A repeat must be equal in ${comparedFields.length} fields</summary>
            <ul>
              ${comparedFields.map((field) => html`<li><code>${field}</code></li> `)}
            </ul>
          </details>`
    }`;
}

/** The webhook that reports the outcome of the operation. */
function webhookNote({ path }: Operation): Html | undefined {
  const kind = webhookByOperation[path];
  return (
    kind &&
    html`<p>
      The outcome is reported by the webhook <a href="/docs/notifications/${kind}"><code>${kind}</code></a
      >.
    </p>`
  );
}

/** The path as HTML: a long path may break only after a slash. */
function breakAfterSlash(path: string): Html {
  const parts = path.split(/(?<=\/)/);
  return html`<code>${parts.map((part) => html`${part}<wbr />`)}</code>`;
}

function requestFields({ request, requiredFields }: Operation): Html {
  return fieldsTable({
    id: "request",
    title: "Request",
    schema: describeRequiredFields(request, requiredFields),
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

function renderResults({ results: codes }: Operation): Html {
  const validationCodes: readonly ResultCode[] = requestValidationCodes.filter(
    (code) => !codes.includes(code),
  );
  return html`<h2 id="results">
      Results<a class="anchor" href="#results" aria-label="Link to Results">#</a>
    </h2>
    <ul class="own-results">
      ${codes.map((code) => html`<li>${codeLink(code)} <span>${renderProse(results[code].message)}</span></li> `)}
    </ul>
    <details class="more">
      <summary>${validationCodes.length} more that any operation can give</summary>
      <ul>
        ${validationCodes.map((code) => html`<li>${codeLink(code)}</li> `)}
      </ul>
    </details>`;
}
