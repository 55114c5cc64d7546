import type { Site } from "./docs-page.ts";

/** `/llms.txt`: what this is, and where every page is as Markdown, for programs that read documents. */
export function llmsText({ facts: { baseUrl, environment }, groups }: Site): string {
  const lists = groups.map(({ title, page, pages }) => {
    const all = page ? [page, ...pages] : pages;
    const lines = all.map(
      ({ path, title: name, description }) => `- [${name}](${baseUrl}${path}.md): ${description}`,
    );
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  return [
    "# Tollgate",
    `> A payment gateway (${environment}). Every operation is a POST of JSON, signed with SHA-256 and RSA; every answer is HTTP 200, signed, ` +
      "and carries a `result`: `S` the call succeeded, `F` it failed, `U` the outcome is not known yet. `S` does not mean paid: the notification of a " +
      "pending payment also says `S`. Deliver when `isPaid` of the client library is true, or when `notifyType` is `PAYMENT_RESULT`, `resultStatus` is `S` " +
      "and `authExpiryTime` is absent.",
    `All schemas and examples: [OpenAPI 3.1](${baseUrl}/openapi.json). The discovery document: [/service](${baseUrl}/service).`,
    ...lists,
    "",
  ].join("\n\n");
}
