import { once } from "node:events";
import { Agent, request } from "node:http";
import { after } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** A request that was signed before the measurement, so that signing is not measured. */
export interface PresignedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SentResult {
  readonly code: string;
  readonly ms: number;
  /** Milliseconds since 1970, which all threads share. */
  readonly atMs: number;
}

/** A load generator in another thread: in one event loop, senders would wait for each other and not for the gateway. */
export interface Sender {
  /** Open-loop load: sends all requests evenly over this many seconds, without waiting for responses. */
  evenly(requests: readonly PresignedRequest[], seconds: number): Promise<readonly SentResult[]>;
  /** Closed-loop load: one request at a time on each connection. Measures the capacity without queueing. */
  inTurn(requests: readonly PresignedRequest[], seconds: number): Promise<readonly SentResult[]>;
}

interface SendCommand {
  readonly loadKind: keyof Sender;
  readonly requests: readonly PresignedRequest[];
  readonly seconds: number;
}

export function startSender(url: string, connections: number): Sender {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, connections } });
  after(() => worker.terminate());
  const run =
    (loadKind: keyof Sender): Sender["evenly"] =>
    async (requests, seconds) => {
      const answered = once(worker, "message") as Promise<[readonly SentResult[]]>;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
      worker.postMessage({ loadKind, requests, seconds } satisfies SendCommand);
      return (await answered)[0];
    };
  return { evenly: run("evenly"), inTurn: run("inTurn") };
}

function newLocalSender(url: string, connections: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });

  function send({ path, headers, body }: PresignedRequest): Promise<SentResult> {
    const startedAtMs = performance.now();
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(path, url), { method: "POST", agent, headers }, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        incoming.on("end", () => {
          const code = /"resultCode":"(\w+)"/.exec(text)?.[1] ?? text;
          resolve({ code, ms: performance.now() - startedAtMs, atMs: Date.now() });
        });
      });
      outgoing.on("error", reject).end(body);
    });
  }

  return {
    async evenly(requests, seconds) {
      const all: Promise<SentResult>[] = [];
      const startedAtMs = performance.now();
      while (all.length < requests.length) {
        const dueCount = (requests.length * (performance.now() - startedAtMs)) / (seconds * 1000);
        for (const due of requests.slice(all.length, Math.ceil(dueCount))) all.push(send(due));
        await delay(5);
      }
      return Promise.all(all);
    },
    async inTurn(requests, seconds) {
      const answers: SentResult[] = [];
      const endMs = performance.now() + seconds * 1000;
      const remaining = requests.values();
      const connection = async (): Promise<void> => {
        for (const next of remaining) {
          answers.push(await send(next));
          if (performance.now() > endMs) return;
        }
      };
      await Promise.all(Array.from({ length: connections }, connection));
      return answers;
    },
  };
}

if (!isMainThread) {
  const { url, connections } = workerData as { readonly url: string; readonly connections: number };
  const sender = newLocalSender(url, connections);
  parentPort?.on("message", ({ loadKind, requests, seconds }: SendCommand) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- as above
    void sender[loadKind](requests, seconds).then((answers) => parentPort?.postMessage(answers));
  });
}
