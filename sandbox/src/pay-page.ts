import { act, type Act } from "./act.ts";
import { readBody, type Exchange } from "./exchange.ts";
import { orderPage } from "./order-page.ts";
import { page, pageHeaders, sendPage } from "./page.ts";
import type { Wallet } from "./wallet.ts";

/** The choices of the form. */
const choices: Readonly<Record<string, Act>> = {
  approve: { action: "approve", by: "buyer" },
  decline: { action: "decline", by: "buyer", resultCode: "PROCESS_FAIL" },
  "not-enough-money": { action: "decline", by: "buyer", resultCode: "USER_BALANCE_NOT_ENOUGH" },
  pend: { action: "pend", by: "buyer" },
};

/** The buyer's page at the wallet. Works without script; the holder of the link may pay. */
export async function answerBuyer(wallet: Wallet, { request, response, path }: Exchange): Promise<void> {
  const body = await readBody(request);
  const order = wallet.book.orderByToken(path.slice("/pay/".length));
  if (!order) return sendPage(response, 404, page("No such order", "<h1>There is no such order.</h1>"));
  if (request.method === "GET" || request.method === "HEAD")
    return sendPage(response, 200, orderPage(order, wallet.now()));
  if (request.method !== "POST")
    return sendPage(response, 405, page("Not here", "<h1>This page is read or sent.</h1>"));

  const choice = choices[new URLSearchParams(body?.toString("utf8")).get("choice") ?? ""];
  if (!choice) return sendPage(response, 400, page("Not clear", "<h1>That is none of the choices.</h1>"));
  // Lost a race or expired: the next page shows the order's state.
  act(wallet, order, choice);
  await wallet.journal.onDisk();
  response.writeHead(303, { ...pageHeaders, location: path });
  response.end();
}
