import { WrongCellError } from "../../core/wrong-cell-error.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientWithKeys } from "../../merchants/client-directory.ts";
import { permissionsPolicy } from "../merchant-api/security-headers.ts";
import { frameOrigin } from "../../providers/next-action.ts";
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

export type PageHeaders = Readonly<Record<string, string>>;

/** Headers of pages whose address is a secret: they are neither cached nor indexed by search engines. */
export const secretPageHeaders: PageHeaders = {
  ...checkoutHeaders,
  "cache-control": "no-store",
  "x-robots-tag": "noindex",
};

/**
 * Headers of a checkout page. A page on which the buyer can choose a payment method has a form, or a part that the
 * script turns into one. A page with a payment provider's fields shows only this order's frame.
 */
export function checkoutPageHeaders({
  hasForm,
  frameUrl,
}: {
  readonly hasForm: boolean;
  readonly frameUrl?: string | undefined;
}): PageHeaders {
  const origin = frameUrl === undefined ? undefined : frameOrigin(frameUrl);
  const policy = checkoutHeaders["content-security-policy"].replace(
    "form-action 'none'",
    hasForm ? "form-action 'self'" : "form-action 'none'",
  );
  if (origin === undefined) return { ...secretPageHeaders, "content-security-policy": policy };
  return {
    ...secretPageHeaders,
    "content-security-policy": `${policy}; frame-src ${origin}`,
    "permissions-policy": permissionsPolicy(origin),
  };
}

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
