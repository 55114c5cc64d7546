import { readBody, sendJson, type Exchange } from "./exchange.ts";
import { asksFirst, type Order } from "./order.ts";
import type { Place } from "./page.ts";
import type { Wallet } from "./wallet.ts";

/** What a page's script is told. */
interface News {
  /** Changes whenever the page would look different. */
  readonly version?: string;
  /** Pages of orders for which the buyer has to be asked. */
  readonly asks?: readonly string[];
  /** Where to go, because this page is over. */
  readonly goTo?: string;
}

/**
 * What has happened since a page was made: `?code=` by the hash of the code that it shows, `?order=` by the token of its
 * order. Without either it is about everything, and only for a wallet that lists orders.
 */
export async function answerFollower(
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
  if (!news) return sendJson(response, 404, { problem: "There is nothing to tell." });
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

/** Changes with all that an order's page shows and that can change. */
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
