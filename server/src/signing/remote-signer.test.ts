import assert from "node:assert/strict";
import { createPublicKey, randomBytes, verify } from "node:crypto";
import { statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeGatewayKey, openSigner } from "./gateway-keys.ts";
import { openRemoteSigner, type RemoteSigner } from "./remote-signer.ts";
import { serveSigner, type SignerServer } from "./serve-signer.ts";
import { wrappingKeysOf } from "./wrapping-keys.ts";

const folder = await mkdtemp(join(tmpdir(), "tollgate-signer-"));
after(() => rm(folder, { recursive: true }));
const wrappingKeys = wrappingKeysOf(randomBytes(32));
const key = await makeGatewayKey(1, wrappingKeys, "sandbox");
const own = await openSigner(async () => [key], wrappingKeys, "sandbox");
const rsa = createPublicKey({ key: key.publicKey, format: "der", type: "spki" });
const edwards = createPublicKey({
  key: key.ed25519?.publicKey ?? assert.fail(),
  format: "der",
  type: "spki",
});
const secret = randomBytes(32);
let made = 0;

const newPath = (): string => join(folder, `signer-${(made += 1)}`);

function serveAt(path: string): Promise<SignerServer> {
  const installationSecret = async (): Promise<Buffer> => secret;
  return serveSigner({
    path,
    environment: "sandbox",
    signer: own,
    installationSecret,
    onFault: () => undefined,
  });
}

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

test("a signer in another process signs as one in this process does, by both algorithms", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer } = await remoteAt(path);
  const text = Buffer.from("POST /a\nA.1.{}");
  assert.deepEqual(await signer.sign(1, text), await own.sign(1, text));
  assert.ok(verify(null, text, edwards, await signer.sign(1, text, "Ed25519")));
  assert.equal(signer.newestVersion(), 1);
  assert.deepEqual(
    signer.publicKeys().get(1)?.export({ format: "der", type: "spki" }),
    rsa.export({ format: "der", type: "spki" }),
  );
  assert.deepEqual(await signer.installationSecret(), secret);
  await server.close();
});

test("only the owner and the group of the socket may connect", async () => {
  const path = newPath();
  const server = await serveAt(path);
  assert.equal((statSync(path).mode & 0o777).toString(8), "660");
  await server.close();
});

test("many signatures are under way at once, and each answer finds its question", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer } = await remoteAt(path, 30_000);
  const texts = Array.from({ length: 300 }, (_, at) => randomBytes(at * 40));
  const signatures = await Promise.all(texts.map((text) => signer.sign(1, text, "Ed25519")));
  for (const [at, text] of texts.entries())
    assert.ok(verify(null, text, edwards, signatures[at] ?? assert.fail()), `text ${at}`);
  await server.close();
});

test("a refusal is told in the signer's words, and others go on", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer, changes } = await remoteAt(path);
  await assert.rejects(signer.sign(7, Buffer.from("text")), {
    message: "The signer refuses: There is no gateway key of version 7.",
  });
  await signer.sign(1, Buffer.from("text"));
  assert.deepEqual([signer.isWell(), changes], [true, []]);
  await server.close();
});

test("what was asked while a signer is restarted is answered by the next", async () => {
  const path = newPath();
  const first = await serveAt(path);
  const { signer, changes } = await remoteAt(path, 20_000);
  await first.close();
  const signing = signer.sign(1, Buffer.from("text"));
  const second = await serveAt(path);
  assert.ok(verify("sha256", Buffer.from("text"), rsa, await signing));
  assert.deepEqual([signer.isWell(), changes], [true, [false, true]]);
  await second.close();
});

test("a signer that does not answer is not well, and nobody gets a signature", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer } = await remoteAt(path, 100);
  await server.close();
  await assert.rejects(signer.sign(1, Buffer.from("text")), /has not answered within 100 ms/);
  assert.equal(signer.isWell(), false);
});

test("a signer of the other environment gives no secret away", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const signer = await openRemoteSigner({ path, environment: "live", onChange: () => undefined });
  await assert.rejects(signer.installationSecret(), /The signer is of sandbox, and you are of live/);
  signer.close();
  await server.close();
});

test("without a signer a process says so when it starts", async () => {
  const signing = openRemoteSigner({
    path: newPath(),
    environment: "sandbox",
    onChange: () => undefined,
    answerMsMax: 100,
  });
  await assert.rejects(signing, /does not answer\. Does `tollgate signer` run/);
});

test("a socket that a killed signer left behind is replaced, and one that answers is not", async () => {
  const path = newPath();
  writeFileSync(path, "");
  const server = await serveAt(path);
  await assert.rejects(serveAt(path), { message: `A signer listens at ${path} already.` });
  await server.close();
});

test("whoever sends nonsense is cut off, and others go on", async () => {
  const path = newPath();
  const server = await serveAt(path);
  const { signer } = await remoteAt(path);
  const socket = connect(path);
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.write(Buffer.alloc(64, 0xff));
  await closed;
  await signer.sign(1, Buffer.from("text"));
  await server.close();
});
