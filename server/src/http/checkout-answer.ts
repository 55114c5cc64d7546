import { ClientElsewhere } from "../core/client-elsewhere.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { KnownClient } from "../merchants/client-directory.ts";
import type { Gateway } from "./gateway.ts";

export interface ByToken {
  readonly Params: { readonly token: string };
  readonly Querystring: { readonly lang?: string | readonly string[] };
}

/**
 * Content security policy: the page loads its own style sheet, script and status, and nothing from elsewhere.
 */
export const headers = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The address is a secret: the page is neither cached nor indexed by search engines. */
export const secretHeaders = { ...headers, "cache-control": "no-store", "x-robots-tag": "noindex" };

export function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.headers(secretHeaders).send({});
}

/** The error goes to our log; the buyer is asked to wait. */
export function faultAnswer(
  { log }: Gateway,
  send: (reply: FastifyReply, request: FastifyRequest<ByToken>) => FastifyReply,
): (error: Error, request: FastifyRequest<ByToken>, reply: FastifyReply) => void {
  return (error, request, reply) => {
    if (!(error instanceof ClientElsewhere))
      log.error({ err: error }, "The checkout page could not be shown.");
    void send(reply.code(503).header("retry-after", "5"), request);
  };
}

/** On the merchant's clock. */
export function nowOf({ clock }: Gateway, merchant: KnownClient | undefined): Date {
  return new Date(clock.now().getTime() + (merchant?.aheadMs ?? 0));
}
