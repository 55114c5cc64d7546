import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerBrowser, isAppFile } from "./app-files.ts";
import { handleCodePage } from "./pages/code-page.ts";
import { handleConsentPage } from "./pages/consent-page.ts";
import { answerControl } from "./control/control.ts";
import { sendJson, type Exchange } from "./exchange.ts";
import { handleHistoryPage } from "./pages/history-page.ts";
import { handleHomePage } from "./pages/home-page.ts";
import type { Partner } from "./keys.ts";
import { handlePageUpdates } from "./pages/status-events.ts";
import { sendNote, type Place } from "./pages/page.ts";
import { handlePayPage, answerByPayment } from "./pages/pay-page.ts";
import { answerGateway } from "./protocol.ts";
import { answerPicture, handleScanPage } from "./pages/scan-page.ts";
import { handleTestPage } from "./pages/test-page.ts";
import type { Wallet } from "./wallet/wallet.ts";

export interface ServerOptions {
  readonly wallet: Wallet;
  readonly partner: Partner;
  readonly controlSecret: string;
  readonly place: Place;
  readonly log: (message: string) => void;
}

/** The wallet's HTTP server: the provider protocol for the gateway, pages for the buyer, control for tests. */
export function newServer(options: ServerOptions): Server {
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 72_000 };
  return createServer(limits, (request, response) => {
    answer(options, request, response).catch((fault: unknown) => {
      options.log(`${request.method} ${request.url}: ${String(fault)}`);
      // After an internal error the connection is closed without a response: the request may have taken effect, so its
      // outcome is unknown.
      response.destroy();
    });
  });
}

async function answer(
  { wallet, partner, controlSecret, place }: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const exchange = { request, response, path, query: new URLSearchParams(query) };
  if (path.startsWith("/wallet/")) return answerGateway(wallet, partner, exchange);
  if (path.startsWith("/control/")) return answerControl(wallet, controlSecret, exchange);
  return handlePage(wallet, exchange, place);
}

async function handlePage(wallet: Wallet, exchange: Exchange, place: Place): Promise<void> {
  const { path, request, response } = exchange;
  if (isAppFile(path)) return answerBrowser(exchange);
  const isAt = (start: string): boolean => path === start || (/.\/$/.test(start) && path.startsWith(start));
  const [, door] = doors.find(([start]) => isAt(start)) ?? [];
  if (door) return door(wallet, exchange, place);
  if (request.headers.accept?.includes("text/html"))
    return sendNote(response, 404, "Not found", "Page not found.");
  return sendJson(response, 404, { problem: "Not found. This is a sandbox wallet." });
}

type Door = (wallet: Wallet, exchange: Exchange, place: Place) => Promise<void>;

/** Page handlers by path; a path that ends with a slash includes all paths below it. */
const doors: readonly (readonly [path: string, door: Door])[] = [
  ["/", handleHomePage],
  ["/codes", handleCodePage],
  ["/scan", handleScanPage],
  ["/scan/picture", answerPicture],
  ["/history", handleHistoryPage],
  ["/test", handleTestPage],
  ["/news", handlePageUpdates],
  ["/pay/", handlePayPage],
  ["/payments/", answerByPayment],
  ["/authorize/", handleConsentPage],
];
