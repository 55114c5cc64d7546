import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, request as send } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium } from "playwright-core";
import { startScriptedGateway } from "../conformance/scripted-gateway.ts";
import { http, keyload, findKeyPair, signCases, type HttpCase } from "../conformance/vectors.ts";

/** The page loads the library and makes it available to scripts that run in the page. */
const modules = ["key", "signature", "bytes", "tollgate"];
const imports = modules.map((name) => `import * as ${name} from "/src/${name}.ts";`).join(" ");
const exported = modules.map((name) => `...${name}`).join(", ");
const html = `<!doctype html><title>Shop</title><script type="module">${imports} globalThis.library = { ${exported} };</script>`;

/**
 * Tests the library's source code in a real browser: without Node, without a build, and with keys that exist
 * only in WebCrypto.
 */
const gateway = await startScriptedGateway();
const site = await startSite(gateway.url);
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
});
const page = await browser.newPage();
await page.goto(site.url);
await page.waitForFunction("library");
after(async () => {
  await browser.close();
  await site.stop();
  await gateway.stop();
});

/** The modules that the page has loaded: the script in `html` sets this variable. */
declare const library: typeof import("./src/key.ts") &
  typeof import("./src/signature.ts") &
  typeof import("./src/bytes.ts") &
  typeof import("./src/tollgate.ts");

test("a page signs like Node, with keys in each format", async () => {
  const cases = signCases.map(({ key, bodyBase64, signature, ...each }) => {
    const { privatePkcs1, privatePkcs8 } = findKeyPair(key);
    return { ...each, bodyBase64, signature, keys: [privatePkcs1, privatePkcs8] };
  });
  const made = await page.evaluate(async (given) => {
    const { privateKeyOf, signedText, fromBase64, toBase64 } = library;
    return Promise.all(
      given.map(async ({ keys, bodyBase64, ...each }) => {
        const text = signedText({ ...each, body: fromBase64(bodyBase64) ?? new Uint8Array() });
        const signatures = await Promise.all(keys.map((key) => privateKeyOf(key).sign(text)));
        return signatures.map(toBase64);
      }),
    );
  }, cases);
  assert.ok(made.length > 20);
  made.forEach((signatures, index) => {
    const { signature, id } = signCases[index]!;
    assert.deepEqual(signatures, [signature, signature], id);
  });
});

test("a page accepts and rejects the same keys as Node", async () => {
  const verdicts = await page.evaluate((given) => {
    const { privateKeyOf, publicKeyOf } = library;
    return given.map(({ half, text }) => {
      try {
        (half === "private" ? privateKeyOf : publicKeyOf)(text);
        return "OK";
      } catch (error) {
        return (error as { readonly reason: string }).reason;
      }
    });
  }, keyload.cases);
  assert.deepEqual(
    verdicts,
    keyload.cases.map(({ expect }) => expect),
  );
});

test("a page rejects a readable private key without dangerouslyAllowBrowser", async () => {
  const { privatePkcs8 } = findKeyPair(http.key);
  const { publicSpki } = findKeyPair("gateway_v1");
  const said = await page.evaluate(
    ({ privateKey, gatewayPublicKeys }) =>
      [false, true].map((dangerouslyAllowBrowser) => {
        const { origin } = (globalThis as unknown as { location: { origin: string } }).location;
        const options = { clientId: "5Y", privateKey, gatewayPublicKeys, baseUrl: origin };
        try {
          return typeof new library.Tollgate({ ...options, dangerouslyAllowBrowser }).payments.pay;
        } catch (error) {
          return (error as Error).name;
        }
      }),
    { privateKey: privatePkcs8, gatewayPublicKeys: publicSpki },
  );
  assert.deepEqual(said, ["ConfigurationError", "function"]);
});

/**
 * Cases that a browser cannot observe: it hides the status of a redirect that it does not follow. Browsers
 * also set their own `User-Agent`.
 */
const cannotBeSeen = new Set(["status-302"]);
const cases = http.cases.filter(
  ({ id, client, wait }) => !cannotBeSeen.has(id) && client?.["baseUrl"] === undefined && wait === undefined,
);

test(`a page calls, verifies, retries and rejects like Node, in ${cases.length} exchanges`, async () => {
  assert.ok(cases.length > 60);
  // The cases run one after the other: a browser opens at most six connections to a site, and some of these
  // cases keep their connection busy.
  for (const each of cases) {
    const { attempts, reason, code, class: name = "answer" } = each.expect;
    const expected = { name, reason, code, attempts, seen: attempts, problems: [] };
    assert.deepEqual(await outcomeOf(each), expected, each.id);
  }
});

async function outcomeOf({
  id,
  operation,
  clientId = http.clientId,
  client,
  call,
}: HttpCase): Promise<unknown> {
  const run = `browser/${id}/${Math.random()}`;
  const { privatePkcs8 } = findKeyPair(http.key);
  const gatewayPublicKeys = Object.fromEntries(
    Object.entries(http.gatewayPublicKeys).map(([version, name]) => [version, findKeyPair(name).publicSpki]),
  );
  const options = { clientId, keyVersion: http.keyVersion, gatewayPublicKeys, ...client };
  const outcome = await page.evaluate(callInPage, { run, operation, privatePkcs8, options, call });
  const seen = await fetch(`${gateway.url}/seen?run=${encodeURIComponent(run)}`);
  const { attempts, problems } = (await seen.json()) as { attempts: number; problems: readonly string[] };
  const others = problems.filter((problem) => problem !== "The user agent is missing.");
  return { ...outcome, seen: attempts, problems: others };
}

interface PageCall {
  readonly run: string;
  readonly operation: string;
  readonly privatePkcs8: string;
  readonly options: object;
  readonly call: HttpCase["call"];
}

interface PageOutcome {
  readonly name: string;
  readonly reason: string | undefined;
  readonly code: string | undefined;
  readonly attempts: number;
}

/** Runs in the page. The key can sign and is not extractable. */
async function callInPage({ run, operation, privatePkcs8, options, call }: PageCall): Promise<PageOutcome> {
  const der = Uint8Array.from(atob(privatePkcs8), (character) => character.charCodeAt(0));
  const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const privateKey = await crypto.subtle.importKey("pkcs8", der, rsa, false, ["sign"]);
  const { origin } = (globalThis as unknown as { location: { origin: string } }).location;
  try {
    const client = new library.Tollgate({ ...options, privateKey, baseUrl: origin });
    const answer = await client.request(operation, { paymentRequestId: run }, call);
    const { resultCode: code } = answer.result;
    return { name: "answer", reason: undefined, code, attempts: answer.attempts };
  } catch (error) {
    const { name, reason, code, attempts } = error as Partial<PageOutcome>;
    return { name: name ?? "", reason, code, attempts: attempts ?? 0 };
  }
}

/** Serves the library's source, with its types removed, and the gateway at one address. */
async function startSite(gatewayUrl: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    // A browser resends a request by itself, with the same signature, when a reused connection breaks. So
    // connections are not reused.
    response.shouldKeepAlive = false;
    if (request.method === "POST") {
      const onward = send(new URL(request.url ?? "", gatewayUrl), {
        method: "POST",
        headers: request.headers,
      });
      onward.once("response", (answer) => {
        response.writeHead(answer.statusCode ?? 0, { ...answer.headers, connection: "close" });
        answer.once("error", () => response.socket?.destroy());
        answer.pipe(response);
      });
      onward.once("error", () => response.socket?.resetAndDestroy());
      response.once("close", () => onward.destroy());
      request.pipe(onward);
      return;
    }
    void fileAt(request.url ?? "").then(([type, text]) => response.setHeader("content-type", type).end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function fileAt(path: string): Promise<[type: string, text: string]> {
  if (!/^\/src\/(?:generated\/)?[a-z-]+\.ts$/.test(path)) return ["text/html", html];
  const source = await readFile(join(import.meta.dirname, path), "utf8");
  return ["text/javascript", stripTypeScriptTypes(source)];
}
