import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createKey } from "../../cli/src/conform/signer.ts";
import {
  brokenCaseIds,
  runConform,
  describeBroken,
  type ConformResult,
} from "../../cli/src/conform/testing/run-conform.ts";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { readGuide } from "./guide.ts";

/**
 * Runs the receivers of the guides in five languages, as a reader would. A receiver prints `Deliver ID` for a paid
 * payment; `tollgate conform receiver` sends it payments that are paid, failed, pending, and of an unknown kind.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const path = "docs/guides/notifications.md";
const { blocks } = readGuide(path, await readFile(join(root, path), "utf8"), () => undefined);
const receivers = blocks.filter(({ use }) => use === "receiver");

const folder = await mkdtemp(join(tmpdir(), "tollgate-receivers-"));
after(() => rm(folder, { recursive: true, force: true }));
const key = await createKey();
const keyFile = join(folder, "conform.pem");
const publicFile = join(folder, "conform-public.pem");
await writeFile(keyFile, key.export({ format: "pem", type: "pkcs8" }));
await writeFile(publicFile, createPublicKey(key).export({ format: "pem", type: "spki" }));

const cases = ["paid-is-paid", "failed-is-not-paid", "pending-is-not-paid", "unknown-kind-changes-nothing"];

interface Language {
  /** Writes the program into a new folder, and returns its start command. */
  install(at: string, code: string, port: number): Promise<readonly string[]>;
  /** A typical mistake in the receiver's code, which treats every `S` as paid: the correct text and the wrong text. */
  readonly mistake?: readonly [correct: string, wrong: string];
}

const languages: Readonly<Record<string, Language>> = {
  ts: {
    async install(at, code) {
      await writeFile(join(at, "receiver.ts"), code);
      const sources = pathToFileURL(join(root, "cli/src/conform/testing/use-library-sources.ts")).href;
      return [process.execPath, "--import", sources, "receiver.ts"];
    },
    mistake: ["body.isPaid", 'body.result.resultStatus === "S"'],
  },
  python: {
    async install(at, code) {
      await writeFile(join(at, "receiver.py"), code);
      return [process.env["PYTHON"] ?? "python3", "receiver.py"];
    },
    mistake: ["body.is_paid", 'body.result.result_status == "S"'],
  },
  php: {
    async install(at, code, port) {
      await mkdir(join(at, "vendor"));
      await writeFile(
        join(at, "vendor/autoload.php"),
        `<?php require '${join(root, "clients/php/autoload.php")}';\n`,
      );
      await writeFile(join(at, "notify.php"), code);
      return ["php", "-S", `127.0.0.1:${port}`, "notify.php"];
    },
    mistake: ["$body->isPaid()", "$body->result->resultStatus === 'S'"],
  },
  go: {
    async install(at, code) {
      const [, name = "", version = ""] =
        /^module (\S+)[^]*^go (\S+)/m.exec(await readFile(join(root, "clients/go/go.mod"), "utf8")) ?? [];
      const here = join(root, "clients/go");
      const lines = [
        `module receiver`,
        `go ${version}`,
        `require ${name} v0.0.0`,
        `replace ${name} => ${here}`,
      ];
      await writeFile(join(at, "go.mod"), `${lines.join("\n")}\n`);
      await writeFile(join(at, "main.go"), code);
      await runToEnd(["go", "build", "-o", "receiver", "."], at, { GOWORK: "off", GOFLAGS: "-mod=mod" });
      return [join(at, "receiver")];
    },
  },
  java: {
    async install(at, code) {
      await writeFile(join(at, "Receiver.java"), code);
      // The library is on Java's source path, so that the compiler compiles only the parts that the receiver needs.
      const sources = join(at, "sources");
      await cp(join(root, "clients/java/src/main/java"), sources, {
        recursive: true,
        filter: (each) => !each.endsWith("module-info.java"),
      });
      await runToEnd(
        ["javac", "--release", "17", "-sourcepath", sources, "-d", "classes", "Receiver.java"],
        at,
      );
      return ["java", "-XX:TieredStopAtLevel=1", "-cp", "classes", "Receiver"];
    },
  },
};

test("the guide has a receiver in five languages", () => {
  assert.deepEqual(receivers.map(({ language }) => language).sort(), Object.keys(languages).sort());
});

for (const { language, lines } of receivers) {
  const code = `${lines.join("\n")}\n`;
  test(`the receiver of the guide does not deliver a pending payment: ${language}`, async () => {
    const checked = await check(language, code);
    assert.deepEqual(brokenCaseIds(checked), [], describeBroken(checked));
    assert.deepEqual(
      checked.cases.filter(({ outcome }) => outcome === "holds").map(({ id }) => id),
      cases,
    );
  });

  const [correct, wrong] = languages[language]?.mistake ?? [];
  if (correct !== undefined && wrong !== undefined)
    test(`a receiver that delivers on S is detected: ${language}`, async () => {
      assert.ok(code.includes(correct));
      const checked = await check(language, code.replace(correct, wrong));
      assert.ok(brokenCaseIds(checked).includes("pending-is-not-paid"), describeBroken(checked));
    });
}

async function check(language: string, code: string): Promise<ConformResult> {
  const at = await mkdtemp(join(folder, `${language}-`));
  const port = await findFreePort();
  const command = await languages[language]?.install(at, code, port);
  assert.ok(command, `There is no way to run ${language}.`);
  const receiver = start(command, at, {
    PORT: String(port),
    PYTHONPATH: join(root, "clients/python/src"),
    TOLLGATE_CLIENT_ID: "CONFORM_MERCHANT",
    TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: publicFile,
  });
  const orders = await serveOrders(receiver);
  try {
    await waitUntilOpen(port, receiver);
    const conformOptions = [
      "--private-key",
      keyFile,
      "--client-id",
      "CONFORM_MERCHANT",
      "--only",
      cases.join(","),
    ];
    const address = `http://127.0.0.1:${port}/notify`;
    return await runConform(["receiver", address, "--orders-url", orders.url, ...conformOptions]);
  } finally {
    orders.stop();
    receiver.child.kill("SIGKILL");
  }
}

interface StartedReceiver {
  readonly child: ChildProcess;
  output(): string;
  /** Its standard error. */
  logged(): string;
}

function start([program = "", ...words]: readonly string[], cwd: string, variables: object): StartedReceiver {
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  after(() => child.kill("SIGKILL"));
  const [text, log] = [[] as string[], [] as string[]];
  child.stdout?.setEncoding("utf8").on("data", (more: string) => text.push(more));
  child.stderr?.setEncoding("utf8").on("data", (more: string) => log.push(more));
  return { child, output: () => text.join(""), logged: () => log.join("") };
}

/** Responds to `--orders-url`: an order is paid if the receiver has printed that it is to be delivered. */
async function serveOrders({ output }: StartedReceiver): Promise<{ readonly url: string; stop(): void }> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { paymentRequestId } = (await json(request)) as { readonly paymentRequestId: string };
    // The wait is necessary because the receiver's output arrives through another channel than its response.
    await wait(150);
    const status = output().split("\n").includes(`Deliver ${paymentRequestId}`) ? "PAID" : "WAITING";
    response.setHeader("content-type", "application/json").end(JSON.stringify({ paymentRequestId, status }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((open) => server.listen(0, "127.0.0.1", open));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/orders`, stop: () => void server.close() };
}

async function waitUntilOpen(port: number, { logged }: StartedReceiver): Promise<void> {
  for (const giveUpAtMs = Date.now() + 30_000; Date.now() < giveUpAtMs; await wait(50))
    if (
      await fetch(`http://127.0.0.1:${port}/notify`, { method: "POST", body: "{}" }).then(
        () => true,
        () => false,
      )
    )
      return;
  throw new Error(`The receiver does not answer: ${logged()}`);
}

async function runToEnd(command: readonly string[], cwd: string, variables: object = {}): Promise<void> {
  const { child, logged } = start(command, cwd, variables);
  const code = await new Promise((end) => child.once("close", end).once("error", end));
  assert.equal(code, 0, `${command.join(" ")}: ${logged()}`);
}
