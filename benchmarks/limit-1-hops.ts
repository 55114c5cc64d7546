import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

/** CPU µs of an HTTP message in plain Node, including its JSON and excluding its signature. */
export interface HopCost {
  /** CPU µs of receiving a request and responding. */
  readonly inUs: number;
  /** CPU µs of sending a request and receiving its response. */
  readonly outUs: number;
}

export interface LimitHops {
  round(messages: number): Promise<HopCost>;
  stop(): void;
}

interface PostOrder {
  readonly port: number;
  readonly count: number;
}

const inFlight = 32;
const signature = `algorithm=RSA256,keyVersion=1,signature=${"x".repeat(350)}`;
const requestBody = {
  productCode: "CASHIER_PAYMENT",
  paymentRequestId: "limit-3b1c7d52-2f0e-4f5a-9a54-0f6f6a1f1a11",
  order: { referenceOrderId: "order-1", orderDescription: "Two coffees" },
  paymentAmount: { currency: "EUR", value: "1250" },
  paymentMethod: { paymentMethodType: "GCASH" },
  paymentRedirectUrl: "https://shop.example/thanks",
  paymentNotifyUrl: "http://127.0.0.1:40000/notify",
  env: { terminalType: "WEB" },
};

/** One child process responds and the other sends, so one run measures both sides. */
export async function startHops(): Promise<LimitHops> {
  const [responder, sender] = (["answer", "post"] as const).map((role) =>
    fork(fileURLToPath(import.meta.url), [role]),
  ) as [ChildProcess, ChildProcess];
  const [port] = (await once(responder, "message")) as [number];
  const sendCommand = async (child: ChildProcess, order: PostOrder | "cpu"): Promise<number> => {
    child.send(order);
    const [reply] = (await once(child, "message")) as [number];
    return reply;
  };
  return {
    async round(messages) {
      const beforeUs = await sendCommand(responder, "cpu");
      const outUs = await sendCommand(sender, { port, count: messages });
      return { outUs, inUs: ((await sendCommand(responder, "cpu")) - beforeUs) / messages };
    },
    stop() {
      for (const child of [responder, sender]) child.disconnect();
    },
  };
}

const [role] = process.argv.slice(2);
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once("disconnect", () => process.exit());
  if (role === "answer") respondToAll();
  else process.on("message", (order: PostOrder) => void post(order).then((us) => process.send?.(us)));
}

function respondToAll(): void {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { paymentRequestId, paymentAmount } = JSON.parse(
        String(Buffer.concat(chunks)),
      ) as typeof requestBody;
      const body = JSON.stringify({
        result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
        paymentId: "20261116123450000047601000000001234",
        paymentRequestId,
        paymentAmount,
        paymentCreateTime: "2026-11-16T12:34:50+00:00",
      });
      outgoing.writeHead(200, {
        "content-type": "application/json; charset=UTF-8",
        "client-id": "SANDBOX_0000000000000000",
        "response-time": "2026-11-16T12:34:50+00:00",
        signature,
        "content-length": body.length,
      });
      outgoing.end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
}

const agent = new Agent({ keepAlive: true, maxSockets: inFlight });

/** Returns the CPU time of a POST. */
async function post({ port, count }: PostOrder): Promise<number> {
  const before = process.cpuUsage();
  let remaining = count;
  const postSome = async (): Promise<void> => {
    while (remaining > 0) {
      remaining -= 1;
      await postOne(port);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, postSome));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function postOne(port: number): Promise<void> {
  const body = JSON.stringify(requestBody);
  const headers = {
    "content-type": "application/json; charset=UTF-8",
    "client-id": "SANDBOX_0000000000000000",
    "request-time": "2026-11-16T12:34:50+00:00",
    signature,
    "content-length": body.length,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: "127.0.0.1", port, method: "POST", path: "/", agent, headers },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const { result } = JSON.parse(String(Buffer.concat(chunks))) as { result: { resultCode: string } };
          if (result.resultCode === "SUCCESS") resolve();
          else reject(new Error(`A plain hop got the response ${result.resultCode}.`));
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
