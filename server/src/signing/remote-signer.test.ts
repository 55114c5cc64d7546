import assert from "node:assert/strict";
import { createPublicKey, randomBytes, verify } from "node:crypto";
import { statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { signedHeadBytes } from "../audit/signed-head.ts";
import { createGatewayKey, openSigner } from "./gateway-keys.ts";
import { openRemoteSigner, type RemoteSigner } from "./remote-signer.ts";
import { messageProblem, type MessageKind } from "./message-kind.ts";
import { deriveKeys, deriveSecrets } from "./secrets.ts";
import { serveSigner, type SignerServer } from "./serve-signer.ts";
import { signedText, textBeforeBody, type SignedParts } from "./signed-text.ts";
import { readFrames, responseKinds, writeFrame } from "./signer-frames.ts";
import { createWrappingKeys } from "./wrapping-keys.ts";

const folder = await mkdtemp(join(tmpdir(), "tollgate-signer-"));
after(() => rm(folder, { recursive: true }));
const wrappingKeys = createWrappingKeys(randomBytes(32));
const key = await createGatewayKey(1, wrappingKeys, "sandbox");
const localSigner = await openSigner(async () => [key], wrappingKeys, "sandbox");
const rsa = createPublicKey({ key: key.publicKey, format: "der", type: "spki" });
const edwards = createPublicKey({
  key: key.ed25519?.publicKey ?? assert.fail(),
  format: "der",
  type: "spki",
});
const secret = randomBytes(32);
let socketCount = 0;

const newPath = (): string => join(folder, `signer-${(socketCount += 1)}`);

function serveAt(path: string): Promise<SignerServer> {
  const derivedKeys = deriveKeys(secret);
  return serveSigner({
    path,
    environment: "sandbox",
    signer: localSigner,
    derivedKeys,
    onFault: () => undefined,
  });
}

const time = "2026-11-18T12:00:00+00:00";
const request = { method: "POST", path: "/a?b=c", clientId: "A", time, body: Buffer.from('{"a":1}') };
const message = { kind: "providerRequest", keyVersion: 1, parts: request } as const;
const requestText = signedText(request);

async function remoteAt(
  path: string,
  answerMsMax = 3_000,
): Promise<{ readonly signer: RemoteSigner; readonly changes: boolean[] }> {
  const changes: boolean[] = [];
  const onChange = (isWell: boolean): void => void changes.push(isWell);
  const signer = await openRemoteSigner({ path, environment: "sandbox", onChange, answerMsMax });
  after(() => signer.close());
  return { signer, changes };
}

test("a signer in another process signs like one in this process, with both algorithms", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer } = await remoteAt(path);
  assert.deepEqual(await signer.sign(message), await localSigner.sign(message));
  assert.ok(verify("sha256", requestText, rsa, await signer.sign(message)));
  assert.ok(verify(null, requestText, edwards, await signer.sign({ ...message, algorithm: "Ed25519" })));
  assert.equal(signer.newestVersion(), 1);
  assert.deepEqual(
    signer.publicKeys().get(1)?.export({ format: "der", type: "spki" }),
    rsa.export({ format: "der", type: "spki" }),
  );
  assert.deepEqual(await signer.secrets(), deriveSecrets(secret));
  await server.close();
});

test("only the owner and the group of the socket may connect", async () => {
  const path = newPath();
  const server = await serveAt(path);
  assert.equal((statSync(path).mode & 0o777).toString(8), "660");
  await server.close();
});

test("concurrent signatures are matched to their requests", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer } = await remoteAt(path, 30_000);
  const all = Array.from({ length: 300 }, (_, at) => ({
    ...request,
    body: Buffer.from(`{"text":"${randomBytes(at * 20).toString("hex")}"}`),
  }));
  const signatures = await Promise.all(
    all.map((parts) => signer.sign({ ...message, parts, algorithm: "Ed25519" })),
  );
  for (const [at, parts] of all.entries())
    assert.ok(verify(null, signedText(parts), edwards, signatures[at] ?? assert.fail()), `message ${at}`);
  await server.close();
});

test("a rejection has the signer's reason, and other requests continue", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer, changes } = await remoteAt(path);
  await assert.rejects(signer.sign({ ...message, keyVersion: 7 }), {
    message: "The signer refuses: There is no gateway key of version 7.",
  });
  await signer.sign(message);
  assert.deepEqual([signer.isAvailable(), changes], [true, []]);
  await server.close();
});

test("requests that are sent while a signer restarts are answered by the next one", async () => {
  const path = newPath();
  const first = await serveAt(path);
  const { signer, changes } = await remoteAt(path, 20_000);
  await first.close();
  const signing = signer.sign(message);
  const second = await serveAt(path);
  assert.ok(verify("sha256", requestText, rsa, await signing));
  assert.deepEqual([signer.isAvailable(), changes], [true, [false, true]]);
  await second.close();
});

test("a signer that does not respond is unhealthy, and requests fail", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer } = await remoteAt(path, 100);
  await server.close();
  await assert.rejects(signer.sign(message), /did not respond within 100 ms/);
  assert.equal(signer.isAvailable(), false);
});

const bodies = {
  answer: '{"result":{}}',
  notification: '{"notifyType":"A"}',
  providerRequest: '{"reference":"r"}',
};

const accepted: readonly (readonly [kind: MessageKind, parts: Partial<SignedParts>])[] = [
  ["answer", {}],
  ["answer", { method: "GET", path: "*", clientId: "" }],
  ["notification", { path: "/notify?a=\u00e9" }],
  // Messages with wrong signatures, which the sandbox sends on purpose.
  ["notification", { method: "PUT" }],
  ["providerRequest", { clientId: "a.b" }],
];

const refusedMessages: readonly (readonly [kind: MessageKind, parts: Partial<SignedParts>, why: RegExp])[] = [
  ["answer", { body: Buffer.from(bodies.notification) }, /begin with its result/],
  ["answer", { body: Buffer.alloc(0) }, /begin with its result/],
  ["answer", { method: "tollgate" }, /does not begin with a method/],
  ["answer", { path: "/a\nb" }, /does not begin with a method/],
  ["answer", { clientId: "a\nb" }, /does not begin with a method/],
  ["answer", { time: "now" }, /does not begin with a method/],
  ["notification", { body: Buffer.from(bodies.answer) }, /that of a response/],
  ["notification", { body: Buffer.from("text") }, /no JSON object/],
  ["notification", { method: "GET" }, /Its method is GET/],
  ["notification", { path: "a" }, /does not begin with a slash/],
  ["providerRequest", { body: Buffer.from(bodies.answer) }, /that of a response/],
  ["providerRequest", { method: "PUT" }, /Its method is PUT/],
];

test("a signer signs responses, webhooks and requests to providers only as their own kind", async (t) => {
  const path = newPath();
  const server = await serveAt(path);
  t.after(() => server.close());
  const { signer } = await remoteAt(path);
  const signAs = (kind: MessageKind, parts: Partial<SignedParts>): [SignedParts, Promise<Buffer>] => {
    const wholeParts = { ...request, body: Buffer.from(bodies[kind]), ...parts };
    return [wholeParts, signer.sign({ kind, keyVersion: 1, algorithm: "Ed25519", parts: wholeParts })];
  };
  for (const [kind, parts] of accepted) {
    const [whole, signing] = signAs(kind, parts);
    assert.ok(verify(null, signedText(whole), edwards, await signing), kind);
  }
  for (const [kind, parts, why] of refusedMessages)
    await assert.rejects(signAs(kind, parts)[1], why, `${kind} ${JSON.stringify(parts)}`);
  assert.match(
    messageProblem("notification", textBeforeBody({ ...request, method: "PUT" }), Buffer.from("{"), {
      environment: "live",
    }) ?? "",
    /Its method is PUT/,
  );
});

test("the signer disconnects a process with another protocol version, and logs why", async (t) => {
  const path = newPath();
  const faults: unknown[] = [];
  const derivedKeys = deriveKeys(secret);
  const onFault = (cause: unknown): void => void faults.push(cause);
  const server = await serveSigner({
    path,
    environment: "sandbox",
    signer: localSigner,
    derivedKeys,
    onFault,
  });
  t.after(() => server.close());
  const socket = connect(path);
  const closed = new Promise((resolve) => socket.on("close", resolve).on("error", () => undefined));
  // The frame has length, number and kind, as version 1 of the protocol wrote them.
  socket.write(Buffer.from([0, 0, 0, 6, 0, 0, 0, 1, 2, 0]));
  await closed;
  assert.match(String(faults[0]), /speaks version 0 of the signer's protocol, this one 2/);
});

/**
 * Sends one frame, as any process in the socket's group can. Returns the content of the response, or undefined for a
 * rejection.
 */
async function contentFor(path: string, kind: number, content: Buffer): Promise<Buffer | undefined> {
  const socket = connect(path);
  const answered = new Promise<Buffer | undefined>((resolve) => {
    readFrames(socket, (frame) => resolve(frame.kind === responseKinds.done ? frame.content : undefined));
    socket.on("close", () => resolve(undefined)).on("error", () => resolve(undefined));
  });
  writeFrame(socket, { id: 1, kind, content });
  return answered.finally(() => socket.destroy());
}

test("no request makes the signer sign an audit head or another text that is no message, or reveal its secret", async (t) => {
  const path = newPath();
  const server = await serveAt(path);
  t.after(() => server.close());
  const head = signedHeadBytes("sandbox", { head: { count: 1, hash: "ab" }, at: 1, keyVersion: 1 });
  const texts = [head, Buffer.from("anything"), Buffer.from("POST /a\n{}"), Buffer.from("post /a\nA.b.{}")];
  const withLength = (text: Buffer, length: number): Buffer =>
    Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, length]), text]);
  for (let kind = 0; kind < 16; kind += 1) {
    for (const text of texts) {
      const plain = Buffer.concat([Buffer.from([0, 0, 0, 1, 0]), text]);
      for (const content of [plain, ...[0, 8, text.length].map((length) => withLength(text, length))]) {
        const signature = await contentFor(path, kind, content);
        assert.ok(!signature || !verify("sha256", text, rsa, signature), `kind ${kind}: ${text.toString()}`);
      }
    }
    const content = await contentFor(path, kind, Buffer.from("sandbox"));
    assert.ok(!content?.includes(secret) && !content?.includes(secret.toString("base64")), `kind ${kind}`);
  }
});

test("a signer of the other environment gives no keys", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const signer = await openRemoteSigner({ path, environment: "live", onChange: () => undefined });
  await assert.rejects(signer.secrets(), /The signer is of sandbox, and you are of live/);
  signer.close();
  await server.close();
});

test("without a signer a process reports so at startup", async () => {
  const signing = openRemoteSigner({
    path: newPath(),
    environment: "sandbox",
    onChange: () => undefined,
    answerMsMax: 100,
  });
  await assert.rejects(signing, /does not answer\. Does `tollgate signer` run/);
});

test("the socket of a killed signer is replaced, and one of a running signer is not", async () => {
  const path = newPath();
  writeFileSync(path, "");
  const server = await serveAt(path);
  await assert.rejects(serveAt(path), { message: `A signer listens at ${path} already.` });
  await server.close();
});

test("a process that sends malformed frames is disconnected, and others continue", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer } = await remoteAt(path);
  const socket = connect(path);
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.write(Buffer.alloc(64, 0xff));
  await closed;
  await signer.sign(message);
  await server.close();
});
