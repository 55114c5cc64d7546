import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, test } from "node:test";
import { findFreePort } from "../../../../server/src/postgres/temporary-postgres.ts";
import { cacheFolder } from "../../dev/cache-folder.ts";
import { dataFilesIn } from "../../dev/data-files.ts";
import { openTemporaryDataFolder } from "../../dev/data-folder.ts";
import { waitForFirstLine, startProcess } from "../../dev/processes.ts";
import { programs, root } from "../../dev/programs.ts";
import { buildLoginUrl } from "../../dev/database-logins.ts";
import { startStack } from "../../dev/start-stack.ts";
import type { DevStack } from "../../dev/dev-stack.ts";
import { takeSample } from "../../testing/sample.ts";
import { brokenCaseIds, runConform, describeBroken, type ConformResult } from "../testing/run-conform.ts";

const dataFolder = await openTemporaryDataFolder();
const stack: DevStack = { parts: [] };
after(async () => {
  await Promise.all(stack.parts.map((part) => part.stop()));
  await stack.postgres?.stop("SIGQUIT");
  await dataFolder.close();
});
const compileCache = join(cacheFolder(), "compiled");
const ready = await startStack(
  dataFolder,
  stack,
  {
    port: undefined,
    httpsPort: undefined,
    postgres: undefined,
    lanAddress: undefined,
    logLevel: "silent",
    compileCache,
    onStep: () => undefined,
    onPart: () => undefined,
    onLine: () => undefined,
  },
  new AbortController().signal,
);
const caller = {
  TOLLGATE_CLIENT_ID: ready.clientId,
  TOLLGATE_KEY_VERSION: String(ready.keyVersion),
  TOLLGATE_PRIVATE_KEY_FILE: ready.merchantPrivateKeyFile,
  TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: ready.gatewayPublicKeyFile,
  TOLLGATE_WALLET_URL: ready.walletUrl,
  TOLLGATE_CONTROL_SECRET: ready.controlSecret,
};

test("our own gateway passes all required and all advised cases", async () => {
  const checked = await runConform(["gateway", ready.baseUrl], caller);
  assert.deepEqual(
    [...brokenCaseIds(checked), ...brokenCaseIds(checked, "should")],
    [],
    describeBroken(checked),
  );
  assert.deepEqual(
    checked.cases.filter(({ outcome }) => outcome === "not seen").map(({ id }) => id),
    [],
  );
  assert.equal(checked.code, 0);
});

test("without a buyer, cases that need a payment are reported as not seen", async () => {
  const { TOLLGATE_CONTROL_SECRET: _, ...callerWithoutSecret } = caller;
  const checked = await runConform(
    ["gateway", ready.baseUrl, "--only", "pay,paid,refund-repeated"],
    callerWithoutSecret,
  );
  assert.deepEqual(
    checked.cases.map(({ outcome }) => outcome),
    ["holds", "not seen", "not seen"],
  );
});

test("with --ask a person pays by hand, and the command reports a different decision", async () => {
  // Approves every payment, through the provider's control interface that the command would use otherwise.
  const approveAsPerson = (output: string): void => {
    const [paymentId] = /\d{35}/.exec(output) ?? [];
    if (!paymentId) return;
    const headers = { authorization: `Bearer ${ready.controlSecret}` };
    void fetch(`${ready.walletUrl}/control/payments/${paymentId}/approve`, { method: "POST", headers });
  };
  const conformArguments = ["gateway", ready.baseUrl, "--ask", "30", "--only", "paid,failed"];
  const { cases } = await runConform(conformArguments, caller, approveAsPerson);
  assert.deepEqual(
    cases.map(({ outcome, found }) => [outcome, found]),
    [
      ["holds", undefined],
      ["not seen", "the payment is SUCCESS, although you were asked to decline it."],
    ],
  );
});

test("the gateway sends webhooks to the address in --listen-url", async () => {
  const address = `http://localhost:${await findFreePort()}`;
  const conformArguments = ["gateway", ready.baseUrl, "--listen-url", address, "--only", "told-of-success"];
  const checked = await runConform(conformArguments, caller);
  assert.deepEqual(brokenCaseIds(checked), [], describeBroken(checked));
});

test("invalid options are rejected, and no server keeps listening", async () => {
  for (const [option, value, sentence] of [
    ["--listen-url", "https://tunnel.example", /Set --listen-port N to the port/],
    ["--listen-url", "http://tunnel.example:80/in", /--listen-url must be an address without a path/],
    ["--listen-url", "tunnel.example:4000", /tunnel\.example:4000 is not an address/],
    ["--listen-port", new URL(ready.walletUrl).port, /Port \d+ is in use: choose another with --listen-port/],
    ["--ask", "soon", /--ask must be a whole number from 1 to 3600/],
    ["--patience", "0", /--patience must be a whole number/],
    ["--only", "piad", /There is no case piad\. Did you mean paid\?/],
  ] as const)
    await assert.rejects(runConform(["gateway", ready.baseUrl, option, value], caller), (error) => {
      assert.match((error as Error).message, /exited with 2: /);
      assert.match((error as Error).message, sentence);
      return true;
    });
});

interface SeededBug {
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** The required cases that the seeded bug breaks; all others must hold. */
  readonly brokenCases: readonly string[];
}

const seededBugs: Readonly<Record<string, SeededBug>> = {
  "it verifies no signature": {
    file: "server/src/signing/verify-signature.ts",
    find: 'return isSignatureValid(key, signedText(parts), signature) ? undefined : "MISMATCH";',
    put: "return undefined;",
    brokenCases: ["other-key", "other-body", "other-path", "other-time", "sha512", "pss"].map(
      (id) => `refuses-${id}`,
    ),
  },
  "it accepts requests of any time": {
    file: "server/src/signing/verify-signature.ts",
    find: 'return Math.abs(nowMs - timeMs) > toleranceSeconds * 1000 ? "STALE" : undefined;',
    put: "return undefined;",
    brokenCases: ["refuses-hour-old", "refuses-hour-ahead"],
  },
  "it accepts one id for two purchases": {
    file: "server/src/core/idempotency.ts",
    find: "return field === undefined",
    put: "return true",
    brokenCases: ["pay-other-amount", "pay-other-currency", "refund-other-amount"],
  },
  "its results have no message": {
    file: "server/src/http/merchant-api/reply.ts",
    find: "resultMessage: (detail ?? message).slice(0, 256),",
    put: "",
    brokenCases: ["result"],
  },
};

/** Checks a gateway whose code has one seeded bug, on the same database. */
async function checkWithBug({ file, find, put }: Omit<SeededBug, "brokenCases">): Promise<ConformResult> {
  const port = await findFreePort();
  assert(stack.postgres);
  const preload = pathToFileURL(join(root, "cli/src/conform/testing/seed-bug.ts")).href;
  const gatewayArguments = ["--import", preload, "--disable-sigusr1", programs.gateway, "serve"];
  const gateway = startProcess(
    "faulty gateway",
    gatewayArguments,
    {
      NODE_COMPILE_CACHE: compileCache,
      SEEDED_BUG: JSON.stringify({ file, find, put }),
      TOLLGATE_ENVIRONMENT: "sandbox",
      TOLLGATE_OWNER_DATABASE_URL: "",
      TOLLGATE_DATABASE_URL: buildLoginUrl(stack.postgres, dataFolder.state.secret, "tollgate_serve"),
      TOLLGATE_KEY_FILE: dataFilesIn(dataFolder.folder).keyFile,
      TOLLGATE_PUBLIC_URL: ready.baseUrl,
      TOLLGATE_LOG_LEVEL: "silent",
      TOLLGATE_EGRESS_LOOPBACK: "allow",
      TOLLGATE_PORT: String(port),
    },
    { onLine: () => undefined },
  );
  try {
    await waitForFirstLine(gateway, "stderr", /^Tollgate /);
    return await runConform(["gateway", `http://127.0.0.1:${port}`], caller);
  } finally {
    await gateway.stop();
  }
}

for (const [name, { brokenCases, ...seededBug }] of takeSample(Object.entries(seededBugs), 2))
  test(`a gateway with this bug gets exactly the findings for it: ${name}`, async () => {
    const checked = await checkWithBug(seededBug);
    assert.deepEqual(brokenCaseIds(checked), brokenCases, describeBroken(checked));
    assert.equal(checked.code, 1);
  });

test("a gateway that signs its responses for another path gets this finding first", async () => {
  const checked = await checkWithBug({
    file: "server/src/http/merchant-api/reply.ts",
    find: "path: target.signedPath, clientId, time, body }",
    put: 'path: "/", clientId, time, body }',
  });
  const [first] = checked.cases.filter(({ outcome }) => outcome === "broken");
  assert.equal(first?.id, "answer-signed");
  assert.match(first?.found ?? "", /is not valid for its path, response-time and body/);
  assert.equal(checked.code, 1);
});
