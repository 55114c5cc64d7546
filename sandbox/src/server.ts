import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { answerBrowser, isAppFile } from "./app-files.ts";
import { answerHolder } from "./code-page.ts";
import { answerConsenter } from "./consent-page.ts";
import { answerControl } from "./control.ts";
import { sendJson, type Exchange } from "./exchange.ts";
import { answerReader } from "./history-page.ts";
import { answerVisitor } from "./home-page.ts";
import type { Partner } from "./keys.ts";
import { answerFollower } from "./news.ts";
import { sendNote, type Place } from "./page.ts";
import { answerBuyer, answerByPayment } from "./pay-page.ts";
import { answerGateway } from "./protocol.ts";
import { answerPicture, answerScanner } from "./scan-page.ts";
import { answerTester } from "./test-page.ts";
import type { Wallet } from "./wallet.ts";

export interface ServerOptions {
  readonly wallet: Wallet;
  readonly partner: Partner;
  readonly controlSecret: string;
  readonly place: Place;
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
  { wallet, partner, controlSecret, place }: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const exchange = { request, response, path, query: new URLSearchParams(query) };
  if (path.startsWith("/wallet/")) return answerGateway(wallet, partner, exchange);
  if (path.startsWith("/control/")) return answerControl(wallet, controlSecret, exchange);
  return answerPeople(wallet, exchange, place);
}

async function answerPeople(wallet: Wallet, exchange: Exchange, place: Place): Promise<void> {
  const { path, request, response } = exchange;
  if (isAppFile(path)) return answerBrowser(exchange);
  const isAt = (start: string): boolean => path === start || (/.\/$/.test(start) && path.startsWith(start));
  const [, door] = doors.find(([start]) => isAt(start)) ?? [];
  if (door) return door(wallet, exchange, place);
  if (request.headers.accept?.includes("text/html"))
    return sendNote(response, 404, "Nothing here", "There is nothing here.");
  return sendJson(response, 404, { problem: "There is nothing here. This is a sandbox wallet." });
}

type Door = (wallet: Wallet, exchange: Exchange, place: Place) => Promise<void>;

/** By path; one that ends with a slash stands for all below it. */
const doors: readonly (readonly [path: string, door: Door])[] = [
  ["/", answerVisitor],
  ["/codes", answerHolder],
  ["/scan", answerScanner],
  ["/scan/picture", answerPicture],
  ["/history", answerReader],
  ["/test", answerTester],
  ["/news", answerFollower],
  ["/pay/", answerBuyer],
  ["/payments/", answerByPayment],
  ["/authorize/", answerConsenter],
];
