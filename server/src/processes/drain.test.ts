import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "node:tls";
import { startServeProcess, type ServeProcess } from "../../test/start/serve-process.ts";
import { createTestCertificate } from "../../test/start/test-certificate.ts";
import { prepareTestGateway, writeTestFile } from "../../test/start/test-gateway.ts";

const prepared = await prepareTestGateway("sandbox");
const variables = { ...prepared.variables, TOLLGATE_PORT: "0" };

/** Polls until the condition is true; fails with the last value. */
async function waitUntil<Value>(poll: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  for (let tries = 0; ; tries += 1) {
    const value = await poll();
    if (isSo(value)) return value;
    assert.ok(tries < 400, `It stayed ${JSON.stringify(value)}`);
    await delay(50);
  }
}

test("a stopping process first becomes unready for its proxy, and still answers meanwhile", async () => {
  const serving = await startServeProcess({ ...variables, TOLLGATE_DRAIN_SECONDS: "3" });
  const readReadyStatus = async (): Promise<number> => (await fetch(`${serving.url}/readyz`)).status;
  assert.equal(await readReadyStatus(), 200);
  process.kill(serving.pid, "SIGTERM");
  await waitUntil(readReadyStatus, (status) => status === 503);
  assert.equal((await fetch(`${serving.url}/livez`)).status, 200);
  await waitUntil(
    async () => serving.runs(),
    (runs) => !runs,
  );
});

/** The certificate that a new connection gets. */
async function readPeerCertificate({ url }: ServeProcess): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return raw.toString("base64");
}

test("SIGHUP reloads the certificate for new callers, keeps the old one if the files are broken, and closes no connection", async () => {
  const [first, second] = [
    await createTestCertificate("IP:127.0.0.1"),
    await createTestCertificate("IP:127.0.0.1"),
  ];
  const files = { cert: writeTestFile("tls.pem", first.cert), key: writeTestFile("tls.key", first.key) };
  const serving = await startServeProcess({
    ...variables,
    TOLLGATE_TLS_CERTIFICATE_FILE: files.cert,
    TOLLGATE_TLS_KEY_FILE: files.key,
  });
  const before = await readPeerCertificate(serving);
  const sendSighup = async (sentence: RegExp): Promise<void> => {
    process.kill(serving.pid, "SIGHUP");
    await waitUntil(
      async () => serving.stderr(),
      (output) => sentence.test(output),
    );
  };

  await writeFile(files.cert, second.cert);
  await sendSighup(/the certificate was not changed/);
  assert.equal(await readPeerCertificate(serving), before);

  await writeFile(files.key, second.key);
  await sendSighup(/is reloaded/);
  assert.notEqual(await readPeerCertificate(serving), before);
  assert.ok(serving.runs());
  await serving.stop();
});
