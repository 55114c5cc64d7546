import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerHolder } from "./code-page.ts";
import { answerConsenter } from "./consent-page.ts";
import { answerControl } from "./control.ts";
import { sendJson } from "./exchange.ts";
import { answerVisitor } from "./home-page.ts";
import type { Partner } from "./keys.ts";
import { page, sendPage } from "./page.ts";
import { answerBuyer } from "./pay-page.ts";
import { answerGateway } from "./protocol.ts";
import type { Wallet } from "./wallet.ts";

export interface ServerOptions {
  readonly wallet: Wallet;
  readonly partner: Partner;
  readonly controlSecret: string;
  /** Whether the page at `/` lists all orders, for whoever opens it. */
  readonly listsOrders: boolean;
  readonly log: (message: string) => void;
}

/** The wallet's HTTP server: protocol for the gateway, pages for the buyer, control for tests. */
export function newServer(options: ServerOptions): Server {
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 72_000 };
  return createServer(limits, (request, response) => {
    answer(options, request, response).catch((fault: unknown) => {
      options.log(`${request.method} ${request.url}: ${String(fault)}`);
      // The call may have acted, so its outcome is unknown: close the connection without an answer.
      response.destroy();
    });
  });
}

async function answer(
  { wallet, partner, controlSecret, listsOrders }: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const exchange = { request, response, path, query: new URLSearchParams(query) };
  if (path.startsWith("/wallet/")) return answerGateway(wallet, partner, exchange);
  if (path.startsWith("/pay/")) return answerBuyer(wallet, exchange);
  if (path.startsWith("/authorize/")) return answerConsenter(wallet, exchange);
  if (path === "/codes") return answerHolder(wallet, exchange);
  if (path.startsWith("/control/")) return answerControl(wallet, controlSecret, exchange);
  if (path === "/") return answerVisitor(wallet, exchange, { listsOrders });
  if (request.headers.accept?.includes("text/html"))
    return sendPage(
      response,
      404,
      page("Nothing here", '<h1>There is nothing here.</h1><p class="note"><a href="/">Your wallet</a></p>'),
    );
  return sendJson(response, 404, { problem: "There is nothing here. This is a sandbox wallet." });
}
