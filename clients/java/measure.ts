import { execFile } from "node:child_process";
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageNames } from "../package-names.ts";

/** Measures the size, cold start and requests per second of the library that `mvn package` built. */
const here = import.meta.dirname;
const run = promisify(execFile);
const coldStarts = 5;
const path = "/ams/api/v1/payments/inquiryPayment";
const clientId = "5YMEASURE";
const keys = { merchant: generateKeys(), gateway: generateKeys() };

const jar = join(here, "target", await jarName());
const folder = await mkdtemp(join(tmpdir(), "tollgate-measure-"));
const server = createServer(createSignedHandler());
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const env = {
  ...process.env,
  TOLLGATE_CLIENT_ID: clientId,
  TOLLGATE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  TOLLGATE_PRIVATE_KEY: keys.merchant.privateKey,
  TOLLGATE_GATEWAY_PUBLIC_KEY: keys.gateway.publicKey,
};
try {
  await run("javac", ["--release", "17", "-cp", jar, "-d", folder, join(here, "measure/Measure.java")]);
  print(`jar: ${(await stat(jar)).size} bytes`);
  for (const mode of ["nothing", "first-plain", "first"]) await measureColdStart(mode);
  print(await runMeasurement("rates"));
} finally {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
}

async function jarName(): Promise<string> {
  const names = await readdir(join(here, "target"));
  const isLibrary = new RegExp(`^${packageNames.mavenArtifact}-[\\d.]+(?:-rc\\.\\d+)?\\.jar$`);
  const name = names.find((each) => isLibrary.test(each));
  if (name === undefined) throw new Error("There is no jar: run `mvn package` first.");
  return name;
}

function generateKeys(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
}

/** A handler that always sends the same signed bytes, with a fixed time. */
function createSignedHandler(): Parameters<typeof createServer>[1] {
  const body = JSON.stringify({
    result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
    paymentId: "1",
    paymentStatus: "SUCCESS",
  });
  const time = "2026-01-01T00:00:00+00:00";
  const text = Buffer.from(`POST ${path}\n${clientId}.${time}.${body}`);
  const signature = sign("sha256", text, createPrivateKey(keys.gateway.privateKey)).toString("base64");
  const headers = {
    "content-type": "application/json;charset=UTF-8",
    "client-id": clientId,
    "response-time": time,
    signature: `algorithm=RSA256,keyVersion=1,signature=${encodeURIComponent(signature)}`,
    "content-length": String(Buffer.byteLength(body)),
  };
  return (request, response) => {
    request.resume().on("end", () => response.writeHead(200, headers).end(body));
  };
}

async function measureColdStart(mode: string): Promise<void> {
  const timesMs: number[] = [];
  let lastOutput = "";
  for (let count = 0; count < coldStarts; count += 1) {
    const startedAtMs = performance.now();
    lastOutput = await runMeasurement(mode);
    timesMs.push(performance.now() - startedAtMs);
  }
  const median = timesMs.sort((a, b) => a - b)[coldStarts >> 1] ?? 0;
  print(`cold start, ${mode}: ${Math.round(median)} ms for the whole process; ${lastOutput}`);
}

async function runMeasurement(mode: string): Promise<string> {
  return (await run("java", ["-cp", `${jar}:${folder}`, "Measure", mode], { env })).stdout.trim();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
