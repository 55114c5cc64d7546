import { html } from "../formats/html.ts";
import { callTabs } from "./call-tabs.ts";
import { codeBlock } from "./code-block.ts";
import type { DocsPage } from "./docs-page.ts";
import { operationAddress, examplesOf, sampleClientOf, type SiteFacts } from "./site-facts.ts";
import { firstOperation } from "./first-operation.ts";
import { sectionHeading, pageOpening, proseAndCode } from "./page-layout.ts";
import { codeLink } from "./result-codes.ts";

/**
 * The page that explains what samples with a client library leave out: installing the library, and its environment
 * variables.
 */
export function librariesPage(facts: SiteFacts): DocsPage {
  const title = "Client libraries";
  const description = "TypeScript, Java, PHP, Python and Go: they sign, send, retry and verify for you.";
  const operation = firstOperation(facts);
  const { clientId, keyFile, gatewayKeyFile } = sampleClientOf(facts);
  const environmentLines = [
    `export TOLLGATE_BASE_URL=${facts.baseUrl}`,
    `export TOLLGATE_CLIENT_ID=${clientId}`,
    `export TOLLGATE_PRIVATE_KEY_FILE=${keyFile}`,
    `export TOLLGATE_GATEWAY_PUBLIC_KEY_FILE=${gatewayKeyFile}`,
  ].join("\n");
  return {
    path: "/docs/libraries",
    title,
    description,
    kind: "topic",
    content: () =>
      html`${pageOpening(title, description)}
      ${proseAndCode(
        html`${sectionHeading("settings", "Your client, and the gateway's address")}
          <p>
            Every library reads it from these variables, unless you give it in code. Make one client, and keep
            it: it parses the keys once. <code>tollgate dev</code> writes them to a file <code>.env</code>:
            <code>set -a; . ./.env; set +a</code> reads it in a shell.
            ${
              facts.reader
                ? ""
                : html`Save your private key as <code>${keyFile}</code> and the gateway's public key, which
                    the merchant portal or the gateway's operator gives you, as
                    <code>${gatewayKeyFile}</code>.`
            }
          </p>
          <p>
            The libraries are in the folders <code>clients/typescript</code>, <code>java</code>,
            <code>php</code>, <code>python</code> and <code>go</code> of the repository, each with a README
            that says how to install it.
          </p>`,
        codeBlock({ title: "In a shell", language: "curl", code: environmentLines }),
      )}
      ${proseAndCode(
        html`${sectionHeading("calls", "A call")}
          <p>
            Areas and operations are named as in the path:
            ${operation && html`<a href="${operationAddress(operation)}"><code>${operation.path}</code></a>`}
            is called on the area <code>tollgate</code> of the client. <code>S</code> and <code>U</code> are
            returned, <code>F</code> is thrown (in Go, an error), with code, advice and the field at fault. A
            request without a response is retried with the same id, but only if that does no harm.
          </p>
          <p>
            Amounts are whole numbers of the smallest unit; <code>Money</code> makes them from decimals.
            Request ids are yours: store one before you call, and call with the same one again. Another id is
            another payment, and the same one with other content is ${codeLink("REPEAT_REQ_INCONSISTENT")}.
          </p>`,
        operation && callTabs(facts, operation, examplesOf(operation)[0].request, 0),
      )}
      ${proseAndCode(
        html`${sectionHeading("notifications", "Notifications")}
          <p>
            <code>client.webhooks.construct</code> verifies a <a href="/docs/notifications">webhook</a> and
            parses it; <code>applyOnce</code> makes sure that you act on it once;
            <code>webhooks.ack()</code> is your acknowledgement.
          </p>`,
      )}`,
  };
}
