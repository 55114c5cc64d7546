import { createHmac, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import { formatWireTime } from "../../src/core/request-time.ts";
import { writeTestFile } from "./test-gateway.ts";
import type { TestProvider } from "./test-stack.ts";
import { providerSignature } from "./provider-signature.ts";

/** A provider without agreements: it rejects every request with a signed response. */
export async function startPlainProvider(): Promise<{
  readonly url: string;
  readonly publicKeyFile: string;
}> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const server = createServer((request, response) => {
    const body = JSON.stringify({ result: { resultCode: "NO_INTERFACE_DEF", resultStatus: "F" } });
    const time = formatWireTime(Date.now());
    const signature = providerSignature(privateKey, { path: request.url ?? "", time, body });
    request.resume().on("end", () => response.writeHead(200, { signature, "response-time": time }).end(body));
  }).listen(0, "127.0.0.1");
  after(() => server.close());
  await once(server, "listening");
  const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, publicKeyFile: writeTestFile("plain-provider.pem", pem) };
}

/** The provider's codes and tokens are derived from its key. */
export function providerSecretsOf(provider: TestProvider): readonly string[] {
  const pem = readFileSync(join(provider.folder, "wallet-private.pem"));
  const key = createPrivateKey(pem).export({ format: "der", type: "pkcs8" });
  const ids = provider
    .effects()
    .flatMap(({ providerAuthorizationId: id }) => (typeof id === "string" ? id : []));
  return [...new Set(ids)].flatMap((id) =>
    ["code", "agreement"].map((what) =>
      createHmac("sha256", key).update(`${what} ${id}`).digest("base64url"),
    ),
  );
}
