import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { after, test } from "node:test";
import type { BeforeSend } from "../core/before-send.ts";
import { findFreePort } from "../postgres/temporary-postgres.ts";
import { createTestCertificate } from "../../test/start/test-certificate.ts";
import { defaultTerms } from "../providers/connector.ts";
import { createHttpProvider } from "./http-provider.ts";
import { ProviderUnreachable } from "../providers/provider.ts";

const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const refund = {
  reference: "order",
  owner: { merchantId: "SANDBOX_A", account: undefined, registrationId: undefined },
  refundReference: "refund",
  amount: { currency: "EUR", minor: 1n },
  notAfter: new Date(),
};

/** Records the bytes of each connection, and answers without a signature. */
async function startRecordingServer(
  server: Server,
  scheme: "http" | "https",
): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  const sockets: Socket[] = [];
  server.on(scheme === "http" ? "connection" : "secureConnection", (socket: Socket) => {
    const index = received.push("") - 1;
    socket.on("error", () => undefined);
    sockets.push(socket);
    socket.on("data", (bytes: Buffer) => {
      received[index] += bytes.toString("latin1");
      if (received[index]?.endsWith("}")) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`, received: received };
}

interface SendCase {
  readonly url: string;
  readonly idempotentByReference: boolean;
  readonly beforeSend: BeforeSend;
  readonly sign?: () => Promise<Buffer>;
}

/** Sends a refund. The response is unsigned, so the outcome is unknown. */
async function sendTo({ url, idempotentByReference, beforeSend, sign }: SendCase): Promise<unknown> {
  const provider = createHttpProvider({
    connector: {
      name: "w",
      url,
      partnerId: "tollgate",
      publicKey: new Uint8Array(),
      gatewayKeyVersion: 1,
      paymentMethodTypes: ["*"],
      simulator: true,
      terms: { ...defaultTerms, idempotentByReference },
    },
    keys: [publicKey],
    signer: {
      newestVersion: () => 1,
      isAvailable: () => true,
      publicKeys: () => new Map(),
      refresh: async () => undefined,
      sign: sign ?? (async () => Buffer.from("signature")),
    },
    now: () => new Date(),
    callbackUrl: "http://127.0.0.1:9",
  });
  const fault = await provider
    .refund(refund, AbortSignal.timeout(5_000), beforeSend)
    .catch((cause: unknown) => cause);
  assert.ok(fault instanceof Error);
  return fault;
}

for (const scheme of ["http", "https"] as const) {
  const server = async (): Promise<Server> => {
    if (scheme === "http") return createServer();
    const { key, cert } = await createTestCertificate("IP:127.0.0.1");
    setDefaultCACertificates([...getCACertificates(), cert]);
    return createSecureServer({ key, cert });
  };

  test(`${scheme}: for a provider without idempotency the message is recorded before its first byte is sent`, async () => {
    const { url, received } = await startRecordingServer(await server(), scheme);
    const calls: object[] = [];
    const beforeSend: BeforeSend = async (options) =>
      void calls.push({ ...options, receivedCount: received.filter(Boolean).length });
    await sendTo({ url, idempotentByReference: false, beforeSend });
    await sendTo({ url, idempotentByReference: false, beforeSend });
    const durable = true;
    assert.deepEqual(calls, [
      { durable, receivedCount: 0 },
      { durable, receivedCount: 1 },
    ]);
    // The test expects two connections: on a keep-alive connection, a reset would not show what the provider has
    // received.
    assert.equal(received.length, 2);
    assert.ok(received.every((text) => text.startsWith("POST /provider/1.1/orders/refund ")));
  });

  test(`${scheme}: a message that cannot be recorded is not sent`, async () => {
    const { url, received } = await startRecordingServer(await server(), scheme);
    const beforeSend: BeforeSend = () => Promise.reject(new Error("Another process has the lease."));
    assert.ok(
      (await sendTo({ url, idempotentByReference: false, beforeSend })) instanceof ProviderUnreachable,
    );
    assert.equal(received.join(""), "");
  });
}

test("for an idempotent provider connections are kept, and sending does not wait for the record", async () => {
  const { url, received } = await startRecordingServer(createServer(), "http");
  const calls: object[] = [];
  const beforeSend: BeforeSend = async (options) => void calls.push(options);
  for (let nth = 0; nth < 2; nth += 1) await sendTo({ url, idempotentByReference: true, beforeSend });
  assert.deepEqual(calls, [{ durable: false }, { durable: false }]);
  assert.equal(received.length, 1);
});

test("no message counts as sent if there is no listener, or if it could not be signed", async () => {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const beforeSend: BeforeSend = async () => assert.fail("Nothing was about to leave.");
  assert.ok((await sendTo({ url, idempotentByReference: false, beforeSend })) instanceof ProviderUnreachable);
  const sign = (): Promise<Buffer> => Promise.reject(new Error("The key is away."));
  for (const idempotentByReference of [true, false])
    assert.match(String(await sendTo({ url, idempotentByReference, beforeSend, sign })), /The key is away/);
});
