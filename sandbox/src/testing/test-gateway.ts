import { createPublicKey } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { after } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { signatureFor, signatureHolds } from "../../../clients/typescript/src/signing.ts";
import { readBody } from "../exchange.ts";
import { wireTime } from "../wallet/wire-time.ts";
import { gateway, partnerId } from "./test-wallet.ts";

export interface ReceivedCallback {
  readonly path: string;
  readonly isSigned: boolean;
  readonly eventId: string;
  readonly reference: string;
  readonly order: Readonly<Record<string, unknown>>;
  readonly capture?: Readonly<Record<string, unknown>>;
  readonly refund?: Readonly<Record<string, unknown>>;
  readonly dispute?: Readonly<Record<string, unknown>>;
  readonly authorization?: Readonly<Record<string, unknown>>;
}

/** A fake gateway for callbacks. It responds like the gateway, or as the test requires. */
export interface TestGateway {
  readonly url: string;
  readonly received: readonly ReceivedCallback[];
  /** Resolves when this number of callbacks has arrived. */
  until(count: number): Promise<readonly ReceivedCallback[]>;
  answerWith(answer: Behaviour): void;
}

type Behaviour = "S" | "U" | "unsigned" | "HTTP 500";

/** `walletKeyFile` may be created after the gateway starts, because the wallet creates it at its first start. */
export async function startGateway(walletKeyFile: string): Promise<TestGateway> {
  const received: ReceivedCallback[] = [];
  let behaviour: Behaviour = "S";
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await readBody(request)) ?? Buffer.alloc(0);
    const path = request.url ?? "";
    const header = (name: string): string => String(request.headers[name] ?? "");
    const message = { path, clientId: partnerId, time: header("request-time"), body };
    const isSigned =
      header("client-id") === partnerId &&
      signatureHolds(message, header("signature"), createPublicKey(readFileSync(walletKeyFile)));
    received.push({ ...(JSON.parse(body.toString("utf8")) as ReceivedCallback), path, isSigned });

    const text = JSON.stringify({
      result: { resultStatus: behaviour === "U" ? "U" : "S", resultCode: "X" },
    });
    const time = wireTime(Date.now());
    const signed = { path, clientId: partnerId, time, body: text };
    response.writeHead(behaviour === "HTTP 500" ? 500 : 200, {
      "response-time": time,
      ...(behaviour !== "unsigned" && { signature: signatureFor(signed, gateway.privateKey, 1) }),
    });
    response.end(text);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async until(count) {
      const deadline = Date.now() + 5_000;
      while (received.length < count && Date.now() < deadline) await wait(5);
      return received;
    },
    answerWith: (next) => {
      behaviour = next;
    },
  };
}
