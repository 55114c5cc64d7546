import type { DocsSite } from "./docs-page.ts";

/**
 * `/llms.txt` for programs that read documents: a description of the site, and the address of every page as Markdown.
 */
export function llmsText({ facts: { baseUrl, environment }, groups }: DocsSite): string {
  const lists = groups.map(({ title, page, pages }) => {
    const all = page ? [page, ...pages] : pages;
    const lines = all.map(
      ({ path, title: name, description }) => `- [${name}](${baseUrl}${path}.md): ${description}`,
    );
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  return [
    "# Tollgate",
    `> A payment gateway (${environment}). Every operation is a POST of JSON, signed with SHA-256 and RSA; every response is HTTP 200, signed, ` +
      "and has a `result`: `S` the request succeeded, `F` it failed, `U` the outcome is unknown. `S` does not mean paid: the webhook of a " +
      "pending payment also says `S`. Deliver when `isPaid` of the client library is true, or when `notifyType` is `PAYMENT_RESULT`, `resultStatus` is `S` " +
      "and `authExpiryTime` is absent.",
    `All schemas and examples: [OpenAPI 3.1](${baseUrl}/openapi.json). The discovery document: [/service](${baseUrl}/service).`,
    ...lists,
    "",
  ].join("\n\n");
}
