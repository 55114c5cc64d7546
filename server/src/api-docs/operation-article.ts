import type { Operation } from "../api/operation.ts";
import { frontDoorCodes, results, type ResultCode } from "../core/result.ts";
import { describeNeeds } from "../api/needed-fields.ts";
import { callSamples } from "./call-samples.ts";
import { codeBlock, codeInEveryLanguage } from "./code-block.ts";
import { anchorOf, callPath, nameOf, sampleAnswerOf, sampleCallOf, type Facts } from "./facts.ts";
import { fieldsTable } from "./fields.ts";
import { html, type Html } from "../core/html.ts";
import { prose } from "./prose.ts";
import { row } from "./layout.ts";
import { json, literal } from "./literal.ts";
import { codeLink } from "./result-codes.ts";

/** All there is to know about one operation, read off its own value. */
export function operationArticle(facts: Facts, operation: Operation): Html {
  const { path, summary, description } = operation;
  const id = anchorOf(operation);
  const name = nameOf(operation);
  const call = sampleCallOf(facts, operation);
  const asked = html`<h3 id="${id}-title">
      ${name}<a class="anchor" href="#${id}" aria-label="Link to ${name}">#</a>
    </h3>
    <p class="summary">${prose(summary)}</p>
    ${paths(operation)}
    ${description && html`<p>${prose(description, (word) => hrefOf(facts, operation, word))}</p>`}
    ${repeats(operation)} ${requestFields(operation)}`;
  return html`<article id="${id}" aria-labelledby="${id}-title" data-operation="${path}">
    ${row(
      asked,
      html`${codeInEveryLanguage(id, "Call", (language) => callSamples[language](call))}
      ${codeBlock({ title: "Request body", language: "json", code: literal(call.body, json) })}`,
    )}
    ${row(
      html`${responseFields(operation)} ${resultsOf(operation)}`,
      codeBlock({ title: "Answer", language: "json", code: literal(sampleAnswerOf(operation), json) }),
    )}
  </article> `;
}

/** Links the codes and operations that a description names; those of the same area come first. */
function hrefOf({ operations }: Facts, from: Operation, word: string): string | undefined {
  if (Object.hasOwn(results, word)) return `#${word}`;
  const named = operations.filter((operation) => nameOf(operation) === word && operation !== from);
  const area = from.path.slice(0, from.path.indexOf("/") + 1);
  const meant = named.find(({ path }) => path.startsWith(area)) ?? named[0];
  return meant && `#${anchorOf(meant)}`;
}

function paths({ path, inStore }: Operation): Html {
  return html`<dl class="paths">
    <dt>Sandbox</dt>
    <dd><b>POST</b> ${breakable(callPath("sandbox", path))}</dd>
    <dt>Live${inStore ? ", and in-store payments of the sandbox" : undefined}</dt>
    <dd><b>POST</b> ${breakable(callPath("live", path))}</dd>
  </dl>`;
}

/** Idempotency: what happens when it is sent a second time. */
function repeats(operation: Operation): Html {
  if ("find" in operation) return html`<p>It only asks, so send it as often as you like.</p>`;
  if ("change" in operation) return html`<p>Sent twice, it comes to the same as sent once.</p>`;
  const { id, same } = operation.once;
  return html`<p>Sent twice with the same <code>${id}</code>, it <a href="#idempotency">happens once</a>.</p>
    ${
      same.length === 0
        ? undefined
        : html`<details class="more">
            <summary>A repeat has to be the same in ${same.length} fields</summary>
            <ul>
              ${same.map((field) => html`<li><code>${field}</code></li> `)}
            </ul>
          </details>`
    }`;
}

/** A long path may break after a slash, and nowhere else. */
function breakable(path: string): Html {
  const parts = path.split(/(?<=\/)/);
  return html`<code>${parts.map((part) => html`${part}<wbr />`)}</code>`;
}

function requestFields({ request, needs }: Operation): Html {
  return fieldsTable({
    caption: "Request",
    schema: describeNeeds(request, needs),
    presence: { title: "Required", required: "required", optional: "optional", depends: "depends" },
    patterns: true,
  });
}

const resultRow = html`<tr>
  <th scope="row"><code>result</code></th>
  <td>Result</td>
  <td>always</td>
  <td></td>
  <td>
    What became of the call: see <a href="#results">Results</a>. A refusal may have no other field. Beside it
    the sandbox lists <code>problems</code> of a refused request, and in <code>warnings</code> the fields that
    it ignored.
  </td>
</tr> `;

/** Only the result is required: a refusal may have no other field. */
function responseFields({ response }: Operation): Html {
  return fieldsTable({
    caption: "Response",
    schema: response,
    presence: { title: "Present", required: "yes", optional: "if any" },
    patterns: false,
    first: resultRow,
  });
}

function resultsOf({ results: own }: Operation): Html {
  const door: readonly ResultCode[] = frontDoorCodes.filter((code) => !own.includes(code));
  return html`<h4>Results</h4>
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
