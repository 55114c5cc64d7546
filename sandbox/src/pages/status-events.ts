import { readBody, sendJson, type Exchange } from "../exchange.ts";
import { asksFirst, type Order } from "../wallet/order.ts";
import type { Place } from "./page.ts";
import type { Wallet } from "../wallet/wallet.ts";

/** The response to a page's poll. */
interface News {
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
  { listsOrders }: Place,
): Promise<void> {
  await readBody(request);
  const [codeHash, token] = [query.get("code"), query.get("order")];
  const news =
    codeHash !== null
      ? newsOfCode(wallet, Buffer.from(codeHash, "base64url").toString("hex"))
      : token !== null
        ? newsOfOrder(wallet, token)
        : listsOrders
          ? newsOfAll(wallet)
          : undefined;
  if (!news) return sendJson(response, 404, { problem: "There is no page to follow." });
  return sendJson(response, 200, news);
}

function newsOfCode({ book, now }: Wallet, codeHash: string): News | undefined {
  if (!book.paymentCode(codeHash)) return undefined;
  const order = book.orderById(book.orderIdOfCode(codeHash) ?? "");
  if (!order) return {};
  return asksFirst(order, now()) ? { asks: [pageOf(order)] } : { goTo: pageOf(order) };
}

function newsOfOrder(wallet: Wallet, token: string): News | undefined {
  const order = wallet.book.orderByToken(token);
  return order && { version: versionOf(wallet, order) };
}

function newsOfAll({ book, now, lineCount }: Wallet): News {
  const asking = book.orders().filter((order) => asksFirst(order, now()));
  return { version: String(lineCount()), asks: asking.map(pageOf) };
}

function pageOf({ token }: Order): string {
  return `/pay/${token}`;
}

/** Returns a version that changes with every visible change of an order's page. */
export function versionOf({ book, plans, now }: Wallet, order: Order): string {
  const { walletOrderId, sequence, capturedMinor, releasedMinor, refundedMinor } = order;
  const disputes = book.disputesOfOrder(walletOrderId).map((dispute) => dispute.sequence);
  const isAsking = asksFirst(order, now());
  return [
    sequence,
    capturedMinor,
    releasedMinor,
    refundedMinor,
    plans.of(walletOrderId).length,
    Number(isAsking),
    ...disputes,
  ].join("-");
}
