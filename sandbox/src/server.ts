import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { serveAppFile, isAppFile } from "./app-files.ts";
import { handleCodePage } from "./pages/code-page.ts";
import { handleConsentPage } from "./pages/consent-page.ts";
import { handleControlRequest } from "./control/control.ts";
import { sendJson, type Exchange } from "./exchange.ts";
import { handleHistoryPage } from "./pages/history-page.ts";
import { handleHomePage } from "./pages/home-page.ts";
import type { Partner } from "./keys.ts";
import { handlePageUpdates } from "./pages/status-events.ts";
import { sendMessagePage, type PageOptions } from "./pages/page.ts";
import { handlePayPage, handlePayPageByPayment } from "./pages/pay-page.ts";
import { handleGatewayRequest } from "./protocol.ts";
import { handlePicture, handleScanPage } from "./pages/scan-page.ts";
import { handleTestPage } from "./pages/test-page.ts";
import type { Wallet } from "./wallet/wallet.ts";

export interface ServerOptions {
  readonly wallet: Wallet;
  readonly partner: Partner;
  readonly controlSecret: string;
  readonly pageOptions: PageOptions;
  readonly log: (message: string) => void;
}

/** The wallet's HTTP server: the provider protocol for the gateway, pages for the buyer, control for tests. */
export function newServer(options: ServerOptions): Server {
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 72_000 };
  return createServer(limits, (request, response) => {
    handleRequest(options, request, response).catch((fault: unknown) => {
      options.log(`${request.method} ${request.url}: ${String(fault)}`);
      // After an internal error the connection is closed without a response: the request may have taken effect, so its
      // outcome is unknown.
      response.destroy();
    });
  });
}

async function handleRequest(
  { wallet, partner, controlSecret, pageOptions }: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const exchange = { request, response, path, query: new URLSearchParams(query) };
  // `/wallet/` was the prefix of an earlier version of the protocol, and is rejected like any other version.
  if (path.startsWith("/provider/") || path.startsWith("/wallet/"))
    return handleGatewayRequest(wallet, partner, exchange);
  if (path.startsWith("/control/")) return handleControlRequest(wallet, controlSecret, exchange);
  return handlePage(wallet, exchange, pageOptions);
}

async function handlePage(wallet: Wallet, exchange: Exchange, pageOptions: PageOptions): Promise<void> {
  const { path, request, response } = exchange;
  if (isAppFile(path)) return serveAppFile(exchange);
  const isAt = (start: string): boolean => path === start || (/.\/$/.test(start) && path.startsWith(start));
  const [, handler] = pageHandlers.find(([start]) => isAt(start)) ?? [];
  if (handler) return handler(wallet, exchange, pageOptions);
  if (request.headers.accept?.includes("text/html"))
    return sendMessagePage(response, 404, "Not found", "Page not found.");
  return sendJson(response, 404, { problem: "Not found. This is a sandbox wallet." });
}

type PageHandler = (wallet: Wallet, exchange: Exchange, pageOptions: PageOptions) => Promise<void>;

/** Page handlers by path; a path that ends with a slash includes all paths below it. */
const pageHandlers: readonly (readonly [path: string, handler: PageHandler])[] = [
  ["/", handleHomePage],
  ["/codes", handleCodePage],
  ["/scan", handleScanPage],
  ["/scan/picture", handlePicture],
  ["/history", handleHistoryPage],
  ["/test", handleTestPage],
  ["/news", handlePageUpdates],
  ["/pay/", handlePayPage],
  ["/payments/", handlePayPageByPayment],
  ["/authorize/", handleConsentPage],
];
