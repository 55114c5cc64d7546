import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setTimeout as waitMs } from "node:timers/promises";
import type { Flood, FloodOrder, FloodReport } from "./flood-stranger.ts";
import type { MerchantOrder, MerchantReport } from "./flood-merchant.ts";
import { startLoneGateway, type LoneGateway } from "./lone-gateway.ts";

/** A stranger floods, a merchant asks, and this is what each of them saw. */
export interface Round {
  readonly flood: string;
  readonly merchant: MerchantReport;
  readonly stranger: FloodReport;
  readonly seconds: number;
  /** What the gateway held at most, beyond what it held before this flood, and before the first one. */
  readonly memoryMoreMb: number;
  readonly memoryMoreInAllMb: number;
}

export interface Floods {
  /** The merchant alone. */
  rest(seconds: number): Promise<MerchantReport>;
  /** 40 connections with 100 requests each on their way, as fast as they are answered. */
  asFastAsAnswered(flood: Flood, seconds: number): Promise<Round>;
  atRate(flood: Flood, seconds: number, perSecond: number): Promise<Round>;
  readonly all: readonly Flood[];
  /** Cheap and harmless, to compare with: on connections that are kept, and on new ones. */
  readonly control: Flood;
  readonly freshControl: Flood;
  stop(): Promise<void>;
}

const connections = 40;
/** The numbers of docs/reference/limits.md: how much who is not proven may ask ahead, and how long it is watched for it. */
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
  // For the code to get warm, and the process as large as it is when it is used.
  await rest(2);
  const memoryBeforeMb = gateway.memoryMb();

  async function round(flood: Flood, seconds: number, perSecond?: number): Promise<Round> {
    // Who stays within the limits is not held to account for who did not.
    if (flood.pipelined && perSecond === undefined) await waitMs(watchedForMs);
    const heldMb = gateway.memoryMb();
    let memoryMb = heldMb;
    const sampling = setInterval(() => (memoryMb = Math.max(memoryMb, gateway.memoryMb())), sampleEveryMs);
    const order: FloodOrder = { port, flood, seconds: seconds + 0.5, connections, pipelined, perSecond };
    const flooding = told<FloodReport>(stranger, order);
    // The stranger is there first.
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
  const signature = (version: string): string =>
    `algorithm=RSA256,keyVersion=${version},signature=${"A".repeat(342)}%3D%3D`;
  const post = (target: string, client: string, version: string, framing: string, body: string): string =>
    `POST ${target} HTTP/1.1\r\nhost: gateway.example\r\ncontent-type: application/json\r\nclient-id: ${client}\r\n` +
    `request-time: ${Date.now()}\r\nsignature: ${signature(version)}\r\n${framing}\r\n\r\n${body}`;
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
    // With as many on their way as are taken, so that nobody is cut off.
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
