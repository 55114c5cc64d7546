import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { after, test } from "node:test";
import type { BeforeSend } from "../core/before-send.ts";
import { freePort } from "../postgres/throw-away.ts";
import { newTestCertificate } from "../../test/start/test-certificate.ts";
import { usualTerms } from "../wallets/connector.ts";
import { httpWallet } from "./http-wallet.ts";
import { WalletUnreachable } from "../wallets/wallet.ts";

const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const refund = {
  reference: "order",
  refundReference: "refund",
  amount: { currency: "EUR", minor: 1n },
  notAfter: new Date(),
};

/** Records the bytes of each connection, and answers without a signature. */
async function listen(server: Server, scheme: "http" | "https"): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const sockets: Socket[] = [];
  server.on(scheme === "http" ? "connection" : "secureConnection", (socket: Socket) => {
    const nth = heard.push("") - 1;
    socket.on("error", () => undefined);
    sockets.push(socket);
    socket.on("data", (bytes: Buffer) => {
      heard[nth] += bytes.toString("latin1");
      if (heard[nth]?.endsWith("}")) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

interface Way {
  readonly url: string;
  readonly idempotentByReference: boolean;
  readonly beforeSend: BeforeSend;
  readonly sign?: () => Promise<Buffer>;
}

/** Sends a refund; the answer is unsigned, so its outcome is unknown. */
async function sendTo({ url, idempotentByReference, beforeSend, sign }: Way): Promise<unknown> {
  const wallet = httpWallet({
    connector: {
      name: "w",
      url,
      partnerId: "tollgate",
      publicKey: new Uint8Array(),
      gatewayKeyVersion: 1,
      paymentMethodTypes: ["*"],
      simulator: true,
      terms: { ...usualTerms, idempotentByReference },
    },
    keys: [publicKey],
    signer: {
      newestVersion: () => 1,
      isWell: () => true,
      publicKeys: () => new Map(),
      refresh: async () => undefined,
      sign: sign ?? (async () => Buffer.from("signature")),
    },
    now: () => new Date(),
    callbackUrl: "http://127.0.0.1:9",
  });
  const fault = await wallet
    .refund(refund, AbortSignal.timeout(5_000), beforeSend)
    .catch((cause: unknown) => cause);
  assert.ok(fault instanceof Error);
  return fault;
}

for (const scheme of ["http", "https"] as const) {
  const server = async (): Promise<Server> => {
    if (scheme === "http") return createServer();
    const { key, cert } = await newTestCertificate("IP:127.0.0.1");
    setDefaultCACertificates([...getCACertificates(), cert]);
    return createSecureServer({ key, cert });
  };

  test(`${scheme}: at a wallet that would act twice, it is remembered before the first byte leaves`, async () => {
    const { url, heard } = await listen(await server(), scheme);
    const told: object[] = [];
    const beforeSend: BeforeSend = async (how) =>
      void told.push({ ...how, heard: heard.filter(Boolean).length });
    await sendTo({ url, idempotentByReference: false, beforeSend });
    await sendTo({ url, idempotentByReference: false, beforeSend });
    const lasting = true;
    assert.deepEqual(told, [
      { lasting, heard: 0 },
      { lasting, heard: 1 },
    ]);
    // Two connections: on a keep-alive one, a reset would not tell what was received.
    assert.equal(heard.length, 2);
    assert.ok(heard.every((text) => text.startsWith("POST /wallet/v1/orders/refund ")));
  });

  test(`${scheme}: what cannot be remembered is not sent`, async () => {
    const { url, heard } = await listen(await server(), scheme);
    const beforeSend: BeforeSend = () => Promise.reject(new Error("Somebody else has it."));
    assert.ok((await sendTo({ url, idempotentByReference: false, beforeSend })) instanceof WalletUnreachable);
    assert.equal(heard.join(""), "");
  });
}

test("a wallet that acts once is not waited for: connections are kept, and it is only noted", async () => {
  const { url, heard } = await listen(createServer(), "http");
  const told: object[] = [];
  const beforeSend: BeforeSend = async (how) => void told.push(how);
  for (let nth = 0; nth < 2; nth += 1) await sendTo({ url, idempotentByReference: true, beforeSend });
  assert.deepEqual(told, [{ lasting: false }, { lasting: false }]);
  assert.equal(heard.length, 1);
});

test("nothing was sent when nobody listens, or when the message could not be signed", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const beforeSend: BeforeSend = async () => assert.fail("Nothing was about to leave.");
  assert.ok((await sendTo({ url, idempotentByReference: false, beforeSend })) instanceof WalletUnreachable);
  const sign = (): Promise<Buffer> => Promise.reject(new Error("The key is away."));
  for (const idempotentByReference of [true, false])
    assert.match(String(await sendTo({ url, idempotentByReference, beforeSend, sign })), /The key is away/);
});
