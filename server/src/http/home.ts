import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { homePage, nowherePage, type Home } from "../home/page.ts";
import type { Gateway } from "./gateway.ts";
import { pathHint } from "./path-hint.ts";
import { answerBody } from "./reply.ts";
import { readTarget } from "./target.ts";

const style = readFileSync(new URL("../home/style.css", import.meta.url), "utf8");

/** Content security policy: the page has its style inside, allowed by its hash, and loads nothing. */
const headers = {
  "content-security-policy":
    `default-src 'none'; style-src 'sha256-${hashOf(style)}'; img-src data:; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-cache",
  vary: "accept",
};

/**
 * The page at `/`, and what is at all paths that are nobody's: a page for browsers, and for programs what they always
 * got. In the sandbox that is the shape of operations' answers, never signed: a signature for a path outside of /ams
 * could pass for that of a notification (see `mayNotify`). In live it is Fastify's.
 */
export function serveHome(
  app: FastifyInstance,
  gateway: Pick<Gateway, "environment" | "docsUrl" | "guard">,
  seenFrom: Pick<Home, "publicUrl" | "wallet" | "shop" | "till" | "portal">,
): void {
  const { environment, guard } = gateway;
  const home = { environment, style, ...seenFrom };
  const [front, nowhere] = [homePage(home), nowherePage(home)];
  const sendPage = (reply: FastifyReply, page: string): FastifyReply => {
    // Load shedding: pages can wait while payments need the time.
    if (guard.overloaded())
      return reply
        .headers({ ...headers, "retry-after": "5" })
        .code(503)
        .send();
    return reply.headers(headers).type("text/html; charset=utf-8").send(page);
  };
  app.get("/", (request, reply) => {
    if (isBrowser(request)) return sendPage(reply, front);
    reply.callNotFound();
    return reply;
  });
  const { till } = seenFrom;
  // An address that people remember; the till's own has another port on every machine.
  if (environment === "sandbox" && till !== undefined)
    app.get("/till", (_, reply) => reply.header("cache-control", "no-cache").redirect(till, 302));
  app.setNotFoundHandler((request, reply) => {
    void reply.code(404);
    if (isBrowser(request)) return sendPage(reply, nowhere);
    if (environment === "live") return reply.send(fastifysOwn(request));
    const hint = pathHint(readTarget(request.originalUrl).path);
    void reply.type("application/json; charset=UTF-8");
    return reply.send(answerBody(gateway, { code: "NO_INTERFACE_DEF", hint }, {}));
  });
}

/** Browsers name the type when somebody opens an address; libraries and curl do not. */
function isBrowser({ method, headers: { accept = "" } }: FastifyRequest): boolean {
  return (method === "GET" || method === "HEAD") && accept.includes("text/html");
}

/** As Fastify answers without a handler: live says what it always said. */
function fastifysOwn({ method, originalUrl }: FastifyRequest): object {
  return { message: `Route ${method}:${originalUrl} not found`, error: "Not Found", statusCode: 404 };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
