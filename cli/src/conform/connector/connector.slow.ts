import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createPublicKey } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, test } from "node:test";
import { cacheFolder } from "../../dev/cache-folder.ts";
import { waitForFirstLine, startProcess } from "../../dev/processes.ts";
import { programs, root } from "../../dev/programs.ts";
import { createKey, publicKeyFileFor } from "../signer.ts";
import { takeSample } from "../../testing/sample.ts";
import { brokenProviders, type SeededBug } from "../testing/broken-providers.ts";
import { brokenCaseIds, runConform, describeBroken, type ConformResult } from "../testing/run-conform.ts";

const folder = await mkdtemp(join(tmpdir(), "tollgate-conform-"));
after(() => rm(folder, { recursive: true, force: true }));
/** The files of the gateway's keys: one for each algorithm that a provider's key can have. */
const keyFiles = { Ed25519: join(folder, "conform.pem"), RSA256: join(folder, "conform-rsa.pem") };
for (const algorithm of ["Ed25519", "RSA256"] as const) {
  const key = await createKey(algorithm);
  const file = keyFiles[algorithm];
  await writeFile(file, key.export({ format: "pem", type: "pkcs8" }));
  await writeFile(publicKeyFileFor(file), createPublicKey(key).export({ format: "pem", type: "spki" }));
}

const compileCache = join(cacheFolder(), "compiled");

interface CheckOptions {
  readonly withSecret?: boolean;
  readonly patience?: string;
  readonly extraArguments?: readonly string[];
  readonly algorithm?: keyof typeof keyFiles;
}

/** Runs the check against the sandbox provider, or against a copy of the sandbox provider with a seeded bug. */
async function checkProvider(
  seededBug?: SeededBug,
  { withSecret = true, patience = "10", extraArguments = [], algorithm = "Ed25519" }: CheckOptions = {},
  onOutput?: (text: string) => void,
): Promise<ConformResult> {
  const keyFile = keyFiles[algorithm];
  const data = await mkdtemp(join(folder, "provider-"));
  const preload = pathToFileURL(join(root, "cli/src/conform/testing/seed-bug.ts")).href;
  const options = {
    data,
    "partner-id": "tollgate",
    "gateway-public-key": publicKeyFileFor(keyFile),
    algorithm,
    "callback-gaps-ms": "0,50,100",
  };
  const providerArguments = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const provider = startProcess(
    "provider",
    [...(seededBug ? ["--import", preload] : []), programs.wallet, ...providerArguments],
    { NODE_COMPILE_CACHE: compileCache, ...(seededBug && { SEEDED_BUG: JSON.stringify(seededBug) }) },
    { onLine: () => undefined },
  );
  after(() => provider.stop());
  const ready = JSON.parse(await waitForFirstLine(provider, "stdout")) as Record<string, string>;
  await wantAllData(ready["walletUrl"] ?? "", ready["controlSecret"] ?? "");
  const conformArguments = [
    "--private-key",
    keyFile,
    "--public-key",
    ready["publicKeyFile"] ?? "",
    "--patience",
    patience,
    ...extraArguments,
  ];
  const secret = withSecret ? { TOLLGATE_CONTROL_SECRET: ready["controlSecret"] ?? "" } : {};
  const checked = await runConform(
    ["connector", ready["walletUrl"] ?? "", ...conformArguments],
    secret,
    onOutput,
  );
  await provider.stop();
  return checked;
}

/** Makes the facts of a sandbox provider want all groups of data. */
async function wantAllData(url: string, controlSecret: string): Promise<void> {
  const headers = { authorization: `Bearer ${controlSecret}` };
  const groups = ["buyer", "device", "browser", "address", "goods", "locale", "descriptor", "metadata"];
  const body = JSON.stringify({ wants: groups });
  const response = await fetch(`${url}/control/facts`, { method: "POST", headers, body });
  assert.equal(response.status, 200, await response.text());
}

for (const algorithm of ["Ed25519", "RSA256"] as const)
  test(`the sandbox provider passes all required and advised cases with ${algorithm}, and every operation is called`, () =>
    verifyConformance(algorithm));

async function verifyConformance(algorithm: keyof typeof keyFiles): Promise<void> {
  const checked = await checkProvider(undefined, { algorithm });
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
  const { paths } = JSON.parse(await readFile(join(root, "sandbox/openapi.json"), "utf8")) as {
    paths: object;
  };
  const operations = Object.keys(paths).map((path) => path.slice(1));
  assert.deepEqual(
    operations.filter((operation) => !checked.called.includes(operation)),
    [],
    "These operations of the provider protocol were not called.",
  );
  assert.deepEqual(checked.settings, {});
  assert.match(
    checked.command,
    /^tollgate connector add --name gcash --url \S+ --partner-id tollgate --public-key \S+ --methods GCASH --simulator$/,
  );
}

test("without a buyer, the other cases are checked, and the rest is reported as not seen", async () => {
  const checked = await checkProvider(undefined, { withSecret: false });
  assert.deepEqual(brokenCaseIds(checked), [], describeBroken(checked));
  const outcomeOf = new Map(checked.cases.map(({ id, outcome }) => [id, outcome]));
  assert.equal(outcomeOf.get("cancel-before-submit"), "holds");
  assert.equal(outcomeOf.get("refund"), "not seen");
});

test("with --ask a person pays on the order's page, and the command reports a different decision", async () => {
  // The simulated person approves the first order and declines the others.
  const choices = ["approve"];
  const decideAsPerson = (output: string): void => {
    const [page] = /http\S+/.exec(output) ?? [];
    const body = new URLSearchParams({ choice: choices.pop() ?? "decline" });
    if (page) void fetch(page, { method: "POST", body });
  };
  const extraArguments = ["--ask", "30", "--only", "refund,refund-too-much"];
  const { cases } = await checkProvider(undefined, { extraArguments }, decideAsPerson);
  assert.deepEqual(
    cases.map(({ outcome, found }) => [outcome, found]),
    [
      ["holds", undefined],
      ["not seen", "the order is DECLINED, although you were asked to approve it."],
    ],
  );
});

for (const [name, { brokenCases, patience = "10", ...seededBug }] of takeSample(
  Object.entries(brokenProviders),
  3,
))
  test(`a provider with this bug gets exactly the findings for it: ${name}`, async () => {
    const checked = await checkProvider(seededBug, { patience });
    assert.deepEqual(brokenCaseIds(checked), brokenCases, describeBroken(checked));
    assert.equal(checked.code, 1);
  });

/** Duties that a provider may lack, each with the connector settings that compensate for it. */
const missingDuties: Readonly<
  Record<string, SeededBug & { readonly settings: Readonly<Record<string, string>> }>
> = {
  "it opens a second order for a repeated submit": {
    file: "sandbox/src/verbs/submit.ts",
    find: 'if (wallet.faults.take(["not-idempotent"], { verb: "submit", reference, paymentId }))',
    put: "if (paymentId)",
    settings: { idempotent: "no" },
  },
  "it acts on messages after their notAfter": {
    file: "sandbox/src/verbs/verb.ts",
    find: 'return typeof notAfter === "string" && now() > (parseTime(notAfter) ?? 0);',
    put: "return now() === 0 && notAfter === undefined;",
    settings: { "quiet-seconds": "600" },
  },
};

for (const [name, { settings, ...seededBug }] of Object.entries(missingDuties))
  test(`a provider that lacks a duty gets connector settings that say so: ${name}`, async () => {
    const checked = await checkProvider(seededBug);
    assert.deepEqual(brokenCaseIds(checked), [], describeBroken(checked));
    assert.deepEqual(checked.settings, settings, describeBroken(checked));
    for (const [option, value] of Object.entries(settings))
      assert.match(checked.command, new RegExp(` --${option} ${value}( |$)`));
    assert.equal(checked.code, 0);
  });
