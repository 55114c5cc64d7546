import { readBody, sendJson, type Exchange } from "../exchange.ts";
import { needsApproval, type Order } from "../wallet/order.ts";
import type { PageOptions } from "./page.ts";
import type { Wallet } from "../wallet/wallet.ts";

/** The response to a page's poll. */
interface PageUpdate {
  /** The version of the page's contents, which changes whenever they change. */
  readonly version?: string;
  /** The addresses of orders that need the buyer's approval. */
  readonly asks?: readonly string[];
  /** The address to which the page must go, because its code or order has been used. */
  readonly goTo?: string;
}

/**
 * Returns changes since a page was loaded: `?code=` with the hash of its payment code, or `?order=` with the token of
 * its order. If a request has neither of these parameters, a wallet that lists orders returns all changes.
 */
export async function handlePageUpdates(
  wallet: Wallet,
  { request, response, query }: Exchange,
  { listsOrders }: PageOptions,
): Promise<void> {
  await readBody(request);
  const [codeHash, token] = [query.get("code"), query.get("order")];
  const update =
    codeHash !== null
      ? codeUpdate(wallet, Buffer.from(codeHash, "base64url").toString("hex"))
      : token !== null
        ? orderUpdate(wallet, token)
        : listsOrders
          ? walletUpdate(wallet)
          : undefined;
  if (!update) return sendJson(response, 404, { problem: "There is no page to follow." });
  return sendJson(response, 200, update);
}

function codeUpdate({ projection, now }: Wallet, codeHash: string): PageUpdate | undefined {
  if (!projection.paymentCode(codeHash)) return undefined;
  const order = projection.orderById(projection.orderIdOfCode(codeHash) ?? "");
  if (!order) return {};
  return needsApproval(order, now()) ? { asks: [orderPath(order)] } : { goTo: orderPath(order) };
}

function orderUpdate(wallet: Wallet, token: string): PageUpdate | undefined {
  const order = wallet.projection.orderByToken(token);
  return order && { version: pageVersion(wallet, order) };
}

function walletUpdate({ projection, now, lineCount }: Wallet): PageUpdate {
  const awaitingApproval = projection.orders().filter((order) => needsApproval(order, now()));
  return { version: String(lineCount()), asks: awaitingApproval.map(orderPath) };
}

function orderPath({ token }: Order): string {
  return `/pay/${token}`;
}

/** Returns a version that changes with every visible change of an order's page. */
export function pageVersion({ projection, plans, now }: Wallet, order: Order): string {
  const { providerOrderId, sequence, captures, releasedMinor, refunds } = order;
  const disputes = projection.disputesOfOrder(providerOrderId).map((dispute) => dispute.sequence);
  const awaitsApproval = needsApproval(order, now());
  return [
    sequence,
    ...Object.values(captures),
    releasedMinor,
    ...Object.values(refunds),
    plans.plansOf(providerOrderId).length,
    Number(awaitsApproval),
    ...disputes,
  ].join("-");
}
