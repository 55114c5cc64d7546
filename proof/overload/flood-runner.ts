import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setTimeout as waitMs } from "node:timers/promises";
import type { Flood, FloodOptions, FloodReport } from "./flood-unauthenticated.ts";
import type { MerchantLoadOptions, MerchantReport } from "./flood-merchant.ts";
import { startSingleGateway, type SingleGateway } from "../installation/single-gateway.ts";

/** One flood: the reports of the unauthenticated client and of the merchant. */
export interface Round {
  readonly flood: string;
  readonly merchant: MerchantReport;
  readonly attacker: FloodReport;
  readonly seconds: number;
  /**
   * The gateway's peak memory minus its memory before this flood. `memoryMoreInAllMb` is the peak minus the memory
   * before the first flood.
   */
  readonly memoryMoreMb: number;
  readonly memoryMoreInAllMb: number;
}

export interface FloodRunner {
  /** The merchant alone, as the baseline. */
  measureBaseline(seconds: number): Promise<MerchantReport>;
  /** Closed loop: 40 connections with 100 pipelined requests each. */
  runClosedLoop(flood: Flood, seconds: number): Promise<Round>;
  runAtRate(flood: Flood, seconds: number, perSecond: number): Promise<Round>;
  readonly all: readonly Flood[];
  /**
   * The control: cheap and harmless requests on keep-alive connections. `freshControl` sends them on new connections.
   */
  readonly control: Flood;
  readonly freshControl: Flood;
  stop(): Promise<void>;
}

const connections = 40;
/**
 * Two limits of docs/reference/limits.md: the number of pipelined requests of an unauthenticated client, and the time
 * for which the gateway limits a client that exceeds it.
 */
const unauthenticatedPipelineMax = 64;
const penaltyMs = 10_000;
const pipelined = 100;
const sampleEveryMs = 100;

export async function startFloodRunner(): Promise<FloodRunner> {
  const gateway = await startSingleGateway({ durable: false, hasWorker: true, variables: {} });
  const [attacker, merchant] = ["flood-unauthenticated.ts", "flood-merchant.ts"].map((name) =>
    fork(fileURLToPath(new URL(name, import.meta.url))),
  ) as [ChildProcess, ChildProcess];
  process.once("exit", () => [attacker, merchant].forEach((child) => child.kill("SIGKILL")));
  const { port, privateKey, merchants } = gateway;
  const clientId = merchants[0]?.clientId ?? "";
  const path = "/ams/sandbox/api/v1/payments/inquiryPayment";
  const measureBaseline = (seconds: number): Promise<MerchantReport> =>
    requestReport(merchant, { port, path, clientId, privateKey, seconds } satisfies MerchantLoadOptions);
  // Warm-up of the code and of the heap.
  await measureBaseline(2);
  const memoryBeforeMb = gateway.memoryMb();

  async function runFlood(flood: Flood, seconds: number, perSecond?: number): Promise<Round> {
    // The wait lets the penalty for the previous flood end, so that it does not affect a flood that stays within the
    // limits.
    if (flood.pipelined && perSecond === undefined) await waitMs(penaltyMs);
    const memoryAtStartMb = gateway.memoryMb();
    let memoryMb = memoryAtStartMb;
    const sampling = setInterval(() => (memoryMb = Math.max(memoryMb, gateway.memoryMb())), sampleEveryMs);
    const floodOptions: FloodOptions = {
      port,
      flood,
      seconds: seconds + 0.5,
      connections,
      pipelined,
      perSecond,
    };
    const attackerRun = requestReport<FloodReport>(attacker, floodOptions);
    // The flood starts before the merchant does.
    await waitMs(500);
    const [attackerReport, merchantReport] = await Promise.all([attackerRun, measureBaseline(seconds)]);
    clearInterval(sampling);
    const memory = {
      memoryMoreMb: memoryMb - memoryAtStartMb,
      memoryMoreInAllMb: Math.max(0, memoryMb - memoryBeforeMb),
    };
    return { flood: flood.name, merchant: merchantReport, attacker: attackerReport, seconds, ...memory };
  }

  return {
    measureBaseline,
    runClosedLoop: runFlood,
    runAtRate: runFlood,
    all: newFloods(gateway, path, clientId),
    control: { name: "control: /livez", request: newGetRequest("/livez") },
    freshControl: {
      name: "control: /livez, new connections",
      request: newGetRequest("/livez"),
      usesNewConnections: true,
    },
    async stop() {
      for (const child of [attacker, merchant]) child.kill("SIGKILL");
      await gateway.stop();
    },
  };
}

function requestReport<Report>(child: ChildProcess, floodOptions: object): Promise<Report> {
  return new Promise((resolve, reject) => {
    const failOnExit = (): void => reject(new Error("One of the callers has exited."));
    child.once("exit", failOnExit);
    child.once("message", (report) => {
      child.off("exit", failOnExit);
      resolve(report as Report);
    });
    child.send(floodOptions);
  });
}

function newFloods({ connector }: SingleGateway, path: string, clientId: string): readonly Flood[] {
  // The false signature is as long as a real one and names the right algorithm. Otherwise the gateway would reject it
  // before it verifies it.
  const signature = (version: string, isProvider: boolean): string =>
    `algorithm=${isProvider ? "Ed25519" : "RSA256"},keyVersion=${version},signature=${"A".repeat(isProvider ? 86 : 342)}%3D%3D`;
  const post = (target: string, client: string, version: string, framing: string, body: string): string =>
    `POST ${target} HTTP/1.1\r\nhost: gateway.example\r\ncontent-type: application/json\r\nclient-id: ${client}\r\n` +
    `request-time: ${Date.now()}\r\nsignature: ${signature(version, client === "tollgate")}\r\n${framing}\r\n\r\n${body}`;
  const short = "content-length: 2";
  const unknownClient = post(path, "SANDBOX_#", "1", short, "{}");
  const forgedCallback = post(
    `/providers/${connector}/callbacks/${clientId}/#`,
    "tollgate",
    "1",
    short,
    "{}",
  );
  const document = "/ams/sandbox/api/v1/payments/supplyDefenseDocument";
  return [
    { name: "unknown clients", request: unknownClient },
    { name: "unknown key versions", request: post(path, clientId, "#", short, "{}") },
    { name: "forged callbacks", request: forgedCallback },
    {
      name: "unknown connectors",
      request: post("/providers/w#/callbacks/a/b", "tollgate", "1", short, "{}"),
    },
    {
      name: "bodies in tiny chunks",
      request: post(document, clientId, "1", "transfer-encoding: chunked", ""),
      bodyPiece: "1\r\nx\r\n".repeat(100),
      bodyPieceCount: 10_000,
      bodyPieceCountAtRate: 1,
      usesNewConnections: true,
    },
    { name: "the reference page", request: newGetRequest("/docs", "accept-encoding: gzip\r\n") },
    {
      name: "half bodies",
      request: post(document, clientId, "1", "content-length: 1500000", ""),
      bodyPiece: "x".repeat(1_000),
      bodyPieceCount: 1_400,
      bodyPieceCountAtRate: 1,
      usesNewConnections: true,
    },
    // Pipelines as many requests as the limit allows, so that no connection is closed.
    ...[unknownClient, forgedCallback].map((request, index) => ({
      name: `${index === 0 ? "unknown clients" : "forged callbacks"}, within the limits`,
      request,
      pipelined: unauthenticatedPipelineMax,
    })),
  ];
}

function newGetRequest(target: string, headers = ""): string {
  return `GET ${target} HTTP/1.1\r\nhost: gateway.example\r\n${headers}\r\n`;
}
