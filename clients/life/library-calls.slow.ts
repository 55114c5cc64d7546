import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { packageNames } from "../package-names.ts";

/**
 * Tests the client library calls that `/docs` shows: each program compiles, runs, and sends exactly the
 * example next to it.
 */
const run = promisify(execFile);
const clients = join(import.meta.dirname, "..");
const readServerJson = (path: string): unknown =>
  JSON.parse(readFileSync(join(clients, "../server", path), "utf8"));
const calls = readServerJson("src/api-docs/generated/library-calls.json") as Record<
  string,
  Record<string, string>[]
>;
const document = readServerJson("openapi.json") as {
  readonly paths: Record<string, { readonly post: OperationItem }>;
};

interface OperationItem {
  readonly requestBody: { readonly content: { readonly "application/json": { readonly example: object } } };
  readonly "x-scenes"?: readonly { readonly request: object }[];
}

/** The expected requests, in the order of the programs. */
const expectedRequests = Object.entries(document.paths).flatMap(([path, { post }]) => {
  const scenes = (post["x-scenes"] ?? []).map(({ request }) => request);
  return [post.requestBody.content["application/json"].example, ...scenes].map((body) => ({
    path: `/ams/sandbox/api/v1${path}`,
    body,
  }));
});

const folder = await mkdtemp(join(tmpdir(), "tollgate-library-calls-"));
after(() => rm(folder, { recursive: true, force: true }));

const pem = { format: "pem", type: "pkcs8" } as const;
const [merchant, gateway] = [1, 2].map(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));
assert.ok(merchant && gateway);

/** A gateway that accepts everything, signs its response, and records the requests. */
const receivedRequests: { readonly path: string; readonly body: unknown }[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const path = request.url ?? "";
    receivedRequests.push({ path, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) });
    const body = '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success."}}';
    const time = new Date().toISOString().replace(/\.\d+Z$/, "+00:00");
    const signed = sign(
      "sha256",
      Buffer.from(`POST ${path}\nSANDBOX_DOCS.${time}.${body}`),
      gateway.privateKey,
    );
    const signature = encodeURIComponent(signed.toString("base64"));
    response.setHeader("signature", `algorithm=RSA256,keyVersion=1,signature=${signature}`);
    response.setHeader("response-time", time);
    response.setHeader("client-id", "SANDBOX_DOCS");
    response.setHeader("content-type", "application/json; charset=UTF-8");
    response.end(body);
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => server.close());

const env = {
  ...process.env,
  TOLLGATE_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  TOLLGATE_CLIENT_ID: "SANDBOX_DOCS",
  TOLLGATE_PRIVATE_KEY: merchant.privateKey.export(pem) as string,
  TOLLGATE_GATEWAY_PUBLIC_KEY: gateway.publicKey.export({ format: "pem", type: "spki" }) as string,
};

/** Writes every program of a language into a new folder; returns that folder. */
async function writePrograms(
  language: string,
  nameOf: (index: number) => string,
  adapt: (code: string, index: number) => string,
): Promise<string> {
  const home = join(folder, language);
  await mkdir(home);
  const programs = Object.values(calls).flatMap((samples) => samples.map((sample) => sample[language] ?? ""));
  assert.equal(programs.length, expectedRequests.length);
  await Promise.all(programs.map((code, index) => writeFile(join(home, nameOf(index)), adapt(code, index))));
  return home;
}

async function expectAll(command: string, parameters: readonly string[], cwd: string): Promise<void> {
  receivedRequests.length = 0;
  const { stdout } = await run(command, parameters, { cwd, env, timeout: 60_000 });
  assert.deepEqual(receivedRequests, expectedRequests);
  assert.equal(stdout.match(/SUCCESS/g)?.length, expectedRequests.length);
}

const padIndex = (index: number): string => String(index).padStart(3, "0");

test("each call in TypeScript compiles, and sends the example", { timeout: 120_000 }, async () => {
  const library = join(clients, "typescript/src/generated/package.ts");
  const useLocalLibrary = (code: string): string =>
    code.replace(JSON.stringify(packageNames.npm), JSON.stringify(library));
  const home = await writePrograms("typescript", (index) => `call-${padIndex(index)}.mts`, useLocalLibrary);
  const root = JSON.parse(readFileSync(join(clients, "../tsconfig.json"), "utf8")) as {
    compilerOptions: object;
  };
  const compilerOptions = {
    ...root.compilerOptions,
    lib: ["es2024", "esnext.collection", "esnext.iterator"],
    typeRoots: [join(clients, "../node_modules/@types")],
  };
  await writeFile(join(home, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
  await run(join(clients, "../node_modules/.bin/tsc"), ["-p", home]);
  const imports = expectedRequests.map((_, index) => `await import("./call-${padIndex(index)}.mts");`);
  await writeFile(join(home, "all.mjs"), imports.join("\n"));
  await expectAll(process.execPath, ["all.mjs"], home);
});

test("each call in Java compiles, and sends the example", { timeout: 120_000 }, async () => {
  const className = (index: number): string => `Call${padIndex(index)}`;
  const home = await writePrograms(
    "java",
    (index) => `${className(index)}.java`,
    (code, index) => code.replace("class Call {", `class ${className(index)} {`),
  );
  const all = expectedRequests.map((_, index) => `${className(index)}.main(parameters);`).join("\n");
  await writeFile(
    join(home, "All.java"),
    `class All { public static void main(String[] parameters) {\n${all}\n} }`,
  );
  const sources = `$(find ${join(clients, "java/src/main/java")} -name '*.java' ! -name module-info.java)`;
  await run("sh", ["-c", `javac --release 17 -Xlint:all -Werror -d classes ${sources} *.java`], {
    cwd: home,
  });
  await expectAll("java", ["-XX:TieredStopAtLevel=1", "-cp", "classes", "All"], home);
});

test("each call in PHP runs, and sends the example", { timeout: 120_000 }, async () => {
  const autoload = join(clients, "php/autoload.php");
  const home = await writePrograms(
    "php",
    (index) => `call-${padIndex(index)}.php`,
    (code) => code.replace("require 'vendor/autoload.php';", `require_once '${autoload}';`),
  );
  await writeFile(
    join(home, "all.php"),
    "<?php foreach (glob('call-*.php') as $file) { (static fn () => require $file)(); }\n",
  );
  await expectAll("php", ["-d", "error_reporting=-1", "-d", "display_errors=stderr", "all.php"], home);
});

test("each call in Python runs, and sends the example", { timeout: 120_000 }, async () => {
  const home = await writePrograms(
    "python",
    (index) => `call_${padIndex(index)}.py`,
    (code) => code,
  );
  const lines = [
    "import glob, runpy, sys",
    `sys.path.insert(0, ${JSON.stringify(join(clients, "python/src"))})`,
    "for file in sorted(glob.glob('call_*.py')):",
    "    runpy.run_path(file)",
  ];
  await writeFile(join(home, "all.py"), `${lines.join("\n")}\n`);
  await expectAll(process.env["PYTHON"] ?? "python3", ["-W", "error", "all.py"], home);
});

test("each call in Go compiles, is formatted, and sends the example", { timeout: 240_000 }, async () => {
  const home = await writePrograms(
    "go",
    (index) => `call_${padIndex(index)}.go`,
    (code) => `${code}\n`,
  );
  const { stdout: unformatted } = await run("gofmt", ["-l", home]);
  assert.equal(unformatted, "");
  // All calls are in one Go program, because linking takes most of the time.
  await Promise.all(
    expectedRequests.map(async (_, index) => {
      const file = join(home, `call_${padIndex(index)}.go`);
      const code = readFileSync(file, "utf8");
      await writeFile(file, code.replace("func main() {", `func call${padIndex(index)}() {`));
    }),
  );
  const all = expectedRequests.map((_, index) => `\tcall${padIndex(index)}()`).join("\n");
  await writeFile(join(home, "all.go"), `package main\n\nfunc main() {\n${all}\n}\n`);
  const library = join(clients, "go");
  const module = `module calls.example\n\ngo 1.24\n\nrequire ${packageNames.go} v0.0.0\n\nreplace ${packageNames.go} => ${library}\n`;
  await writeFile(join(home, "go.mod"), module);
  await run("go", ["build", "-o", "all", "."], { cwd: home });
  await expectAll(join(home, "all"), [], home);
});
