import { WrongCellError } from "../../core/wrong-cell-error.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { KnownClient } from "../../merchants/client-directory.ts";
import type { Gateway } from "../merchant-api/gateway.ts";

export interface ByToken {
  readonly Params: { readonly token: string };
  readonly Querystring: { readonly lang?: string | readonly string[] };
}

/** Content security policy: the page loads only its own style sheet, script and status. */
export const headers = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Headers of pages whose address is a secret: they are neither cached nor indexed by search engines. */
export const secretHeaders = { ...headers, "cache-control": "no-store", "x-robots-tag": "noindex" };

export function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.headers(secretHeaders).send({});
}

/** The response after an error: the error is logged, and the page asks the buyer to wait. */
export function faultAnswer(
  { log }: Gateway,
  send: (reply: FastifyReply, request: FastifyRequest<ByToken>) => FastifyReply,
): (error: Error, request: FastifyRequest<ByToken>, reply: FastifyReply) => void {
  return (error, request, reply) => {
    if (!(error instanceof WrongCellError)) log.error({ err: error }, "Showing the checkout page failed.");
    void send(reply.code(503).header("retry-after", "5"), request);
  };
}

/** The current time on the merchant's test clock. */
export function nowOf({ clock }: Gateway, merchant: KnownClient | undefined): Date {
  return new Date(clock.now().getTime() + (merchant?.aheadMs ?? 0));
}
