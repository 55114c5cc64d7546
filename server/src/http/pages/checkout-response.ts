import { WrongCellError } from "../../core/wrong-cell-error.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientWithKeys } from "../../merchants/client-directory.ts";
import type { Gateway } from "../merchant-api/gateway.ts";

export interface CheckoutRoute {
  readonly Params: { readonly token: string };
  readonly Querystring: { readonly lang?: string | readonly string[] };
}

/** Content security policy: the page loads only its own style sheet, script and status. */
export const checkoutHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Headers of pages whose address is a secret: they are neither cached nor indexed by search engines. */
export const secretPageHeaders = {
  ...checkoutHeaders,
  "cache-control": "no-store",
  "x-robots-tag": "noindex",
};

export function sendEmpty(reply: FastifyReply): FastifyReply {
  return reply.headers(secretPageHeaders).send({});
}

/** The response after an error: the error is logged, and the page asks the buyer to wait. */
export function newFaultResponder(
  { log }: Gateway,
  send: (reply: FastifyReply, request: FastifyRequest<CheckoutRoute>) => FastifyReply,
): (error: Error, request: FastifyRequest<CheckoutRoute>, reply: FastifyReply) => void {
  return (error, request, reply) => {
    if (!(error instanceof WrongCellError)) log.error({ err: error }, "Showing the checkout page failed.");
    void send(reply.code(503).header("retry-after", "5"), request);
  };
}

/** The current time on the merchant's test clock. */
export function merchantNow({ clock }: Gateway, merchant: ClientWithKeys | undefined): Date {
  return new Date(clock.now().getTime() + (merchant?.aheadMs ?? 0));
}
