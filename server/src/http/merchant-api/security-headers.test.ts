import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { connect, type ConnectionOptions } from "node:tls";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { createTestCertificate } from "../../../test/start/test-certificate.ts";
import {
  call,
  newMerchant,
  pathOf,
  prepareTestGateway,
  writeTestFile,
} from "../../../test/start/test-gateway.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const merchant = await newMerchant(database);
const certificate = await createTestCertificate("IP:127.0.0.1", "rsa");

async function started(extraVariables: Readonly<Record<string, string>>): Promise<URL> {
  const serving = await serve(readSettings({ ...variables, ...extraVariables }));
  after(() => serving.stop());
  return new URL(serving.url);
}

const plain = await started({});
const behindProxy = await started({ TOLLGATE_PUBLIC_URL: "https://pay.example" });
const overTls = await started({
  TOLLGATE_TLS_CERTIFICATE_FILE: writeTestFile("tls.pem", certificate.cert),
  TOLLGATE_TLS_KEY_FILE: writeTestFile("tls.key", certificate.key),
});

/** Sends one raw request, and returns the head of its response. */
async function headOf(url: URL, request: string): Promise<string> {
  const { hostname: host } = url;
  const port = Number(url.port);
  const socket =
    url.protocol === "https:" ? connect({ host, port, ca: certificate.cert }) : connectTcp({ host, port });
  socket.write(request);
  return (await text(socket)).split("\r\n\r\n")[0] ?? "";
}

const get = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: pay.example\r\nconnection: close\r\n\r\n`;
const post = (path: string): string => get(path).replace("GET", "POST");

const requests = {
  "a page": get("/docs"),
  "a payment page that there is not": get("/checkout/nothing"),
  "what there is to know": get("/service"),
  "its health": get("/livez"),
  "its readiness": get("/readyz"),
  "nothing there": get("/nothing"),
  "an operation, unsigned": post(pathOf("sandbox", "payments/pay")),
  "an operation that there is not": post("/ams/sandbox/api/v1/nothing"),
  "a callback of an unknown connector": post("/providers/nobody/callbacks/a/b"),
  "no HTTP at all": "hello\r\n\r\n",
  "too many headers": get("/livez").replace("\r\n\r\n", `\r\nx: ${"x".repeat(9_000)}\r\n\r\n`),
};

for (const [what, request] of Object.entries(requests)) {
  test(`a response has the security headers for browsers: ${what}`, async () => {
    for (const url of [plain, behindProxy, overTls]) {
      const head = await headOf(url, request);
      assert.match(head, /^HTTP\/1\.1 \d\d\d /);
      for (const line of [
        /^content-security-policy: default-src 'none'; .*frame-ancestors 'none'$/gm,
        /^cross-origin-opener-policy: same-origin$/gm,
        /^permissions-policy: .*camera=\(\).* payment=\(\)/gm,
        /^referrer-policy: no-referrer$/gm,
        /^x-content-type-options: nosniff$/gm,
      ])
        assert.equal(head.replaceAll("\r", "").match(line)?.length, 1, `${line} of\n${head}`);
      const hsts = /^strict-transport-security: max-age=63072000\r?$/m.test(head);
      assert.equal(hsts, url !== plain, `${url.href}\n${head}`);
    }
  });
}

test("a signed response has the security headers, and only its own two lines contain words that libraries search for", async () => {
  const path = pathOf("sandbox", "payments/inquiryPayment");
  const answer = await call(behindProxy.href, merchant, { path, body: '{"paymentId":"none"}' });
  assert.equal(answer.json.result["resultCode"], "ORDER_NOT_EXIST");
  assert.equal(answer.headers["strict-transport-security"], "max-age=63072000");
  assert.equal(answer.headers["x-content-type-options"], "nosniff");
  const names = answer.rawHeaders.filter((line) => /signature|response-time/i.test(line));
  assert.deepEqual(names.slice(0, 2), ["response-time", "signature"]);
  assert.equal(names.length, 3, "the names, and the signature's own value");
});

/** The negotiated TLS version and cipher, or why the handshake failed. */
async function negotiatedTls(offer: ConnectionOptions): Promise<string> {
  const socket = connect({
    host: overTls.hostname,
    port: Number(overTls.port),
    ca: certificate.cert,
    ...offer,
  });
  try {
    await once(socket, "secureConnect");
    return `${socket.getProtocol()} ${socket.getCipher().name}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
  }
}

test("TLS connections use forward secrecy, at least TLS 1.2, and GCM", async () => {
  assert.match(await negotiatedTls({}), /^TLSv1\.3 TLS_AES_/);
  const older = { maxVersion: "TLSv1.2" } as const;
  assert.match(await negotiatedTls(older), /^TLSv1\.2 ECDHE-RSA-AES\d+-GCM-SHA\d+$/);
  for (const ciphers of ["ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-RSA-AES128-GCM-SHA256"])
    assert.equal(await negotiatedTls({ ...older, ciphers }), `TLSv1.2 ${ciphers}`);
  for (const ciphers of [
    "AES256-SHA",
    "AES128-GCM-SHA256",
    "ECDHE-RSA-AES256-SHA384",
    "ECDHE-RSA-AES128-SHA",
  ])
    assert.match(await negotiatedTls({ ...older, ciphers }), /HANDSHAKE_FAILURE/, ciphers);
  const oldest = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  assert.match(await negotiatedTls(oldest), /PROTOCOL_VERSION/);
});
