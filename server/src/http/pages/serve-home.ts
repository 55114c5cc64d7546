import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { renderHomePage, renderNotFoundPage, type HomePageSettings } from "../../home/home-page.ts";
import type { Gateway } from "../merchant-api/gateway.ts";
import { pathHint } from "../merchant-api/path-hint.ts";
import { answerBody } from "../merchant-api/reply.ts";
import { readTarget } from "../merchant-api/target.ts";

const style = ["site.css", "style.css"]
  .map((name) => readFileSync(new URL(`../../home/${name}`, import.meta.url), "utf8"))
  .join("\n");

/** Content security policy: it allows the page's inline style by its hash, and the page loads nothing. */
const headers = {
  "content-security-policy":
    `default-src 'none'; style-src 'sha256-${hashOf(style)}'; img-src data:; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-cache",
  vary: "accept",
};

/**
 * Serves the page at `/` and all unknown paths. Browsers get a page, programs a JSON response. In the sandbox the JSON
 * response has the format of operations' responses, but is never signed: a signature for a path outside of /ams could
 * pass for a webhook's (see `isAllowedWebhookUrl`). In live the response is Fastify's own 404.
 */
export function serveHome(
  app: FastifyInstance,
  gateway: Pick<Gateway, "environment" | "docsUrl" | "guard">,
  context: Pick<HomePageSettings, "publicUrl" | "provider" | "shop" | "till" | "portal">,
): void {
  const { environment, guard } = gateway;
  const pageData = { environment, style, ...context };
  const [homePage, notFoundPage] = [renderHomePage(pageData), renderNotFoundPage(pageData)];
  const sendPage = (reply: FastifyReply, page: string): FastifyReply => {
    // Load shedding: pages can wait, because payments need the time.
    if (guard.isOverloaded())
      return reply
        .headers({ ...headers, "retry-after": "5" })
        .code(503)
        .send();
    return reply.headers(headers).type("text/html; charset=utf-8").send(page);
  };
  app.get("/", (request, reply) => {
    if (isBrowser(request)) return sendPage(reply, homePage);
    reply.callNotFound();
    return reply;
  });
  const { till } = context;
  // A short address that redirects to the point of sale, which has a different port on each machine.
  if (environment === "sandbox" && till !== undefined)
    app.get("/till", (_, reply) => reply.header("cache-control", "no-cache").redirect(till, 302));
  app.setNotFoundHandler((request, reply) => {
    void reply.code(404);
    if (isBrowser(request)) return sendPage(reply, notFoundPage);
    if (environment === "live") return reply.send(fastifyNotFoundBody(request));
    const hint = pathHint(readTarget(request.originalUrl).path);
    void reply.type("application/json; charset=UTF-8");
    return reply.send(answerBody(gateway, { code: "NO_INTERFACE_DEF", hint }, {}));
  });
}

/**
 * Whether a browser requests a page: it accepts text/html when a user opens an address; client libraries and curl do
 * not.
 */
function isBrowser({ method, headers: { accept = "" } }: FastifyRequest): boolean {
  return (method === "GET" || method === "HEAD") && accept.includes("text/html");
}

/** Fastify's response for an unknown path; live keeps it unchanged. */
function fastifyNotFoundBody({ method, originalUrl }: FastifyRequest): object {
  return { message: `Route ${method}:${originalUrl} not found`, error: "Not Found", statusCode: 404 };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
