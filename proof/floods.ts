import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setTimeout as waitMs } from "node:timers/promises";
import type { Flood, FloodOrder, FloodReport } from "./flood-stranger.ts";
import type { MerchantOrder, MerchantReport } from "./flood-merchant.ts";
import { startLoneGateway, type LoneGateway } from "./lone-gateway.ts";

/** One flood: the reports of the stranger and of the merchant. */
export interface Round {
  readonly flood: string;
  readonly merchant: MerchantReport;
  readonly stranger: FloodReport;
  readonly seconds: number;
  /** The gateway's peak memory, beyond its memory before this flood, and before the first one. */
  readonly memoryMoreMb: number;
  readonly memoryMoreInAllMb: number;
}

export interface Floods {
  /** The merchant alone, as the baseline. */
  rest(seconds: number): Promise<MerchantReport>;
  /** Closed loop: 40 connections with 100 pipelined requests each. */
  asFastAsAnswered(flood: Flood, seconds: number): Promise<Round>;
  atRate(flood: Flood, seconds: number, perSecond: number): Promise<Round>;
  readonly all: readonly Flood[];
  /** Cheap and harmless requests as the control: on keep-alive connections, and on new ones. */
  readonly control: Flood;
  readonly freshControl: Flood;
  stop(): Promise<void>;
}

const connections = 40;
/**
 * Limits of docs/reference/limits.md: pipelined requests of an unauthenticated caller, and how long one that
 * exceeds them is watched.
 */
const answersOwedBeforeProofMax = 64;
const watchedForMs = 10_000;
const pipelined = 100;
const sampleEveryMs = 100;

export async function startFloods(): Promise<Floods> {
  const gateway = await startLoneGateway({ durable: false, works: true, variables: {} });
  const [stranger, merchant] = ["flood-stranger.ts", "flood-merchant.ts"].map((name) =>
    fork(fileURLToPath(new URL(name, import.meta.url))),
  ) as [ChildProcess, ChildProcess];
  process.once("exit", () => [stranger, merchant].forEach((child) => child.kill("SIGKILL")));
  const { port, privateKey, merchants } = gateway;
  const clientId = merchants[0]?.clientId ?? "";
  const path = "/ams/sandbox/api/v1/payments/inquiryPayment";
  const rest = (seconds: number): Promise<MerchantReport> =>
    told(merchant, { port, path, clientId, privateKey, seconds } satisfies MerchantOrder);
  // Warm-up of the code and of the heap.
  await rest(2);
  const memoryBeforeMb = gateway.memoryMb();

  async function round(flood: Flood, seconds: number, perSecond?: number): Promise<Round> {
    // The penalty for the flood before must not fall on one that stays within the limits.
    if (flood.pipelined && perSecond === undefined) await waitMs(watchedForMs);
    const heldMb = gateway.memoryMb();
    let memoryMb = heldMb;
    const sampling = setInterval(() => (memoryMb = Math.max(memoryMb, gateway.memoryMb())), sampleEveryMs);
    const order: FloodOrder = { port, flood, seconds: seconds + 0.5, connections, pipelined, perSecond };
    const flooding = told<FloodReport>(stranger, order);
    // The flood starts before the merchant does.
    await waitMs(500);
    const [strangerReport, merchantReport] = await Promise.all([flooding, rest(seconds)]);
    clearInterval(sampling);
    const memory = {
      memoryMoreMb: memoryMb - heldMb,
      memoryMoreInAllMb: Math.max(0, memoryMb - memoryBeforeMb),
    };
    return { flood: flood.name, merchant: merchantReport, stranger: strangerReport, seconds, ...memory };
  }

  return {
    rest,
    asFastAsAnswered: round,
    atRate: round,
    all: floodsOf(gateway, path, clientId),
    control: { name: "control: /livez", request: get("/livez") },
    freshControl: { name: "control: /livez, new connections", request: get("/livez"), isFresh: true },
    async stop() {
      for (const child of [stranger, merchant]) child.kill("SIGKILL");
      await gateway.stop();
    },
  };
}

function told<Report>(child: ChildProcess, order: object): Promise<Report> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error("One of the callers has ended."));
    child.once("exit", gone);
    child.once("message", (report) => {
      child.off("exit", gone);
      resolve(report as Report);
    });
    child.send(order);
  });
}

function floodsOf({ connector }: LoneGateway, path: string, clientId: string): readonly Flood[] {
  // As long as a true one is, and by the wallet's algorithm for its callbacks: otherwise nothing would be verified.
  const signature = (version: string, isWallet: boolean): string =>
    `algorithm=${isWallet ? "Ed25519" : "RSA256"},keyVersion=${version},signature=${"A".repeat(isWallet ? 86 : 342)}%3D%3D`;
  const post = (target: string, client: string, version: string, framing: string, body: string): string =>
    `POST ${target} HTTP/1.1\r\nhost: gateway.example\r\ncontent-type: application/json\r\nclient-id: ${client}\r\n` +
    `request-time: ${Date.now()}\r\nsignature: ${signature(version, client === "tollgate")}\r\n${framing}\r\n\r\n${body}`;
  const short = "content-length: 2";
  const unknownClient = post(path, "SANDBOX_#", "1", short, "{}");
  const forgedCallback = post(`/wallets/${connector}/callbacks/${clientId}/#`, "tollgate", "1", short, "{}");
  const document = "/ams/sandbox/api/v1/payments/supplyDefenseDocument";
  return [
    { name: "unknown clients", request: unknownClient },
    { name: "unknown key versions", request: post(path, clientId, "#", short, "{}") },
    { name: "forged callbacks", request: forgedCallback },
    { name: "unknown connectors", request: post("/wallets/w#/callbacks/a/b", "tollgate", "1", short, "{}") },
    {
      name: "bodies in crumbs",
      request: post(document, clientId, "1", "transfer-encoding: chunked", ""),
      more: "1\r\nx\r\n".repeat(100),
      moreCount: 10_000,
      moreCountAtRate: 1,
      isFresh: true,
    },
    { name: "the reference page", request: get("/docs", "accept-encoding: gzip\r\n") },
    {
      name: "half bodies",
      request: post(document, clientId, "1", "content-length: 1500000", ""),
      more: "x".repeat(1_000),
      moreCount: 1_400,
      moreCountAtRate: 1,
      isFresh: true,
    },
    // Pipelines as many requests as the limit allows, so that no connection is cut.
    ...[unknownClient, forgedCallback].map((request, index) => ({
      name: `${index === 0 ? "unknown clients" : "forged callbacks"}, within the limits`,
      request,
      pipelined: answersOwedBeforeProofMax,
    })),
  ];
}

function get(target: string, more = ""): string {
  return `GET ${target} HTTP/1.1\r\nhost: gateway.example\r\n${more}\r\n`;
}
