import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, test } from "node:test";
import { createPublicKey } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { findFreePort, startTemporaryPostgres } from "../../../../server/src/postgres/temporary-postgres.ts";
import { waitForFirstLine, startProcess } from "../../dev/processes.ts";
import { root } from "../../dev/programs.ts";
import { createKey, publicKeyFileFor } from "../signer.ts";
import { brokenCaseIds, runConform, describeBroken, type ConformResult } from "../testing/run-conform.ts";

const folder = await mkdtemp(join(tmpdir(), "tollgate-conform-"));
after(() => rm(folder, { recursive: true, force: true }));
const keyFile = join(folder, "conform.pem");
const key = await createKey();
await writeFile(keyFile, key.export({ format: "pem", type: "pkcs8" }));
const publicPem = createPublicKey(key).export({ format: "pem", type: "spki" }).toString();
await writeFile(publicKeyFileFor(keyFile), publicPem);

function check(address: number | string, ...extraArguments: readonly string[]): Promise<ConformResult> {
  const shop = `http://127.0.0.1:${address}`;
  const shopArguments = [
    "--orders-url",
    `${shop}/orders`,
    "--private-key",
    keyFile,
    "--client-id",
    "CONFORM_MERCHANT",
  ];
  return runConform(["receiver", `${shop}/notify`, ...shopArguments, ...extraArguments]);
}

/** Bugs of a receiver by name, each with exactly the required cases that the bug breaks. */
const brokenCasesOfBugs: Readonly<Record<string, readonly string[]>> = {
  none: [],
  "verifies nothing": [
    "no-signature",
    "empty-signature",
    "no-time",
    "other-key",
    "other-key-version",
    "algorithm-none",
    "algorithm-confused",
    "other-padding",
    "other-amount",
    "written-again",
    "other-time",
    "other-path",
    "other-query",
    "other-client",
    "a-day-old",
    "a-day-ahead",
    "time-is-no-time",
    "header-garbage",
    "still-refuses",
  ],
  "verifies JSON that it parsed and wrote again": ["raw-bytes", "written-again"],
  "verifies without the query": ["query", "other-query"],
  "accepts webhooks of any time": ["a-day-old", "a-day-ahead", "time-is-no-time"],
  "accepts webhooks for other merchants": ["other-client"],
  "rejects a webhook that it has already applied": [
    "repeated",
    "repeated-at-once",
    "older-after-newer",
    "answer-lost",
  ],
  "applies a repeated webhook again": [
    "repeated-applied-once",
    "repeated-at-once-applied-once",
    "older-after-newer",
  ],
  "lets the older overwrite the newer": ["older-after-newer"],
  "marks failed payments as paid": ["failed-is-not-paid"],
  "marks pending payments as paid": ["pending-is-not-paid", "unknown-kind-changes-nothing"],
  "remembers a webhook that it could not apply": ["before-its-order"],
};

const brokenReceivers = join(root, "cli/src/conform/testing/broken-receivers.ts");
const receivers = startProcess("receivers", [brokenReceivers], { KEY_FILE: publicKeyFileFor(keyFile) });
after(() => receivers.stop());
const brokenReceiversPort = await waitForFirstLine(receivers, "stdout");

function checkBroken(fault: string): Promise<ConformResult> {
  return check(`${brokenReceiversPort}/${encodeURIComponent(fault)}`);
}

for (const [fault, expected] of Object.entries(brokenCasesOfBugs))
  test(`a receiver with this bug gets exactly the findings for it: ${fault}`, async () => {
    const checked = await checkBroken(fault);
    assert.deepEqual(brokenCaseIds(checked), expected, describeBroken(checked));
    assert.equal(checked.passed, expected.length === 0);
    assert.equal(checked.code, expected.length === 0 ? 0 : 1);
  });

test("a receiver that does not answer S gets the exact form of an acknowledgement", async () => {
  const checked = await checkBroken("answers OK");
  const found = new Map(checked.cases.map((each) => [each.id, each]));
  assert.match(
    found.get("payment-paid")?.found ?? "",
    /200, but the body is not \{"result":\{"resultStatus":"S"\}\}/,
  );
  assert.match(found.get("payment-paid")?.fix ?? "", /Answer HTTP 200 with/);
  for (const id of ["paid-is-paid", "other-key"]) assert.equal(found.get(id)?.outcome, "holds", id);
});

/** Starts an example of ours in its own language, and waits until it answers. */
async function startExample(
  [program = "", ...words]: readonly string[],
  port: number,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(program, words, {
    cwd: folder,
    env: {
      ...process.env,
      PORT: String(port),
      TOLLGATE_BASE_URL: "https://gateway.example",
      TOLLGATE_CLIENT_ID: "CONFORM_MERCHANT",
      TOLLGATE_PRIVATE_KEY: key.export({ format: "pem", type: "pkcs8" }).toString(),
      TOLLGATE_GATEWAY_PUBLIC_KEY: publicPem,
      ...variables,
    },
    stdio: "ignore",
  });
  after(() => child.kill("SIGKILL"));
  for (const giveUpAtMs = Date.now() + 20_000; Date.now() < giveUpAtMs; await wait(50))
    if (
      await fetch(`http://127.0.0.1:${port}/orders`, { method: "POST", body: "{}" }).then(
        () => true,
        () => false,
      )
    )
      return;
  throw new Error(`${words.join(" ")} does not answer.`);
}

test("the first run creates the key although no receiver answers; the second says in one sentence that none answers", async () => {
  const file = join(folder, "made.pem");
  const conformArguments = [
    "receiver",
    `http://127.0.0.1:${await findFreePort()}/notify`,
    "--private-key",
    file,
  ];
  await assert.rejects(
    runConform(conformArguments),
    /made\.pem is a new signing key.*Start your receiver with it/s,
  );
  assert.match(await readFile(publicKeyFileFor(file), "utf8"), /BEGIN PUBLIC KEY/);
  await assert.rejects(runConform(conformArguments), ({ message }: Error) => {
    assert.match(message, /No server answers at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
    assert.equal(message.match(/[a-z)]\.(?=\s|$)/g)?.length, 1, message);
    return true;
  });
});

test("our own receiver for Express conforms", async () => {
  const postgres = await startTemporaryPostgres({ durable: false });
  after(() => postgres.stop());
  const port = await findFreePort();
  const preload = pathToFileURL(join(root, "cli/src/conform/testing/use-library-sources.ts")).href;
  const example = join(root, "clients/typescript/examples/notify-express.ts");
  await startExample([process.execPath, "--import", preload, example], port, {
    DATABASE_URL: postgres.url("postgres"),
  });
  const checked = await check(port);
  // `answers-in-time` is ignored, because the speed also depends on the machine.
  const advice = brokenCaseIds(checked, "should").filter((id) => id !== "answers-in-time");
  assert.deepEqual([...brokenCaseIds(checked), ...advice], [], describeBroken(checked));
});

test("our own receiver for Python conforms", async () => {
  const port = await findFreePort();
  const example = join(root, "clients/python/examples/notify.py");
  const python = process.env["PYTHON"] ?? "python3";
  await startExample([python, example], port, {
    PYTHONPATH: join(root, "clients/python/src"),
    DATABASE_FILE: join(folder, "python.sqlite"),
  });
  const checked = await check(port);
  assert.deepEqual(brokenCaseIds(checked), [], describeBroken(checked));
});

test("our own receiver for PHP conforms", async () => {
  const port = await findFreePort();
  await mkdir(join(folder, "vendor"));
  await writeFile(
    join(folder, "vendor/autoload.php"),
    `<?php require '${join(root, "clients/php/autoload.php")}';\n`,
  );
  await writeFile(
    join(folder, "start.php"),
    `<?php require '${join(root, "clients/php/tests/servers/plain.php")}';\n`,
  );
  const variables = { DATABASE_FILE: join(folder, "php.sqlite") };
  await startExample(["php", "-S", `127.0.0.1:${port}`, join(folder, "start.php")], port, variables);
  const checked = await check(port);
  assert.deepEqual(brokenCaseIds(checked), [], describeBroken(checked));
});

// This test is the last one, because all broken receivers run in one process, and this test crashes that process.
test("a receiver that crashes on unreadable input is reported as not answering", async () => {
  const checked = await checkBroken("crashes on unreadable input");
  const [first] = checked.cases.filter(({ outcome }) => outcome === "broken");
  assert.equal(first?.id, "broken-json");
  assert.match(first?.found ?? "", /Afterwards the receiver no longer answered/);
});
