import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bareEnvironment } from "../../test/start/bare-environment.ts";
import { findFreePort } from "../postgres/temporary-postgres.ts";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";

/**
 * These tests run the program as an operator starts it: a separate process with only its arguments and environment
 * variables.
 */
const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "tollgate-cli-"));
after(() => rm(folder, { recursive: true, force: true }));
const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicKeyFile = join(folder, "public.pem");
await writeFile(publicKeyFile, publicKey.export({ format: "pem", type: "spki" }));
await writeFile(join(folder, "private.pem"), privateKey.export({ format: "pem", type: "pkcs8" }));

const sandbox = await prepareTestGateway("sandbox");
const live = await prepareTestGateway("live");

type Variables = Readonly<Record<string, string | undefined>>;

interface ProgramResult {
  readonly code: number | null;
  readonly output: string;
  readonly errorOutput: string;
  /** Time from the program's last output to its exit, in milliseconds. */
  readonly lingeredMs: number;
}

async function run(variables: Variables, ...args: readonly string[]): Promise<ProgramResult> {
  const program = spawn(process.execPath, [main, ...args], {
    // Compile cache: loading the sources takes most of the time of a start, and every start in these tests loads the
    // same sources.
    env: { ...bareEnvironment, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errorOutput, spokeAtMs] = ["", "", performance.now()];
  program.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
  program.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorOutput += text;
    spokeAtMs = performance.now();
  });
  const code = await new Promise<number | null>((resolve) => program.on("close", resolve));
  return { code, output, errorOutput, lingeredMs: performance.now() - spokeAtMs };
}

/** Checks that an error is a sentence, never a stack trace. */
function assertOnlyError(ran: ProgramResult, sentence: RegExp, code = 1): void {
  assert.match(ran.errorOutput, sentence);
  assert.doesNotMatch(ran.errorOutput, /\n {4}at |node:internal|\.ts:\d/);
  assert.equal(ran.output, "");
  assert.equal(ran.code, code);
}

const add = ["merchant", "add", "--public-key", publicKeyFile] as const;

describe("the command line", { concurrency: 2 }, () => {
  test("help lists the commands", async () => {
    const { code, output, errorOutput } = await run({}, "--help");
    assert.deepEqual([code, errorOutput], [0, ""]);
    for (const name of ["serve", "merchant add", "connector set", "payment show", "generate"])
      assert.match(output, new RegExp(`^ {2}${name} `, "m"));
  });

  test("a closed output pipe is no error", async () => {
    const program = spawn(process.execPath, [main, "merchant", "list"], {
      env: { ...bareEnvironment, ...sandbox.operatorVariables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    program.stdout.destroy();
    let errorOutput = "";
    program.stderr.setEncoding("utf8").on("data", (text: string) => void (errorOutput += text));
    const code = await new Promise((resolve) => program.on("close", resolve));
    assert.deepEqual([code, errorOutput], [0, ""]);
  });

  for (const [name, variables, args, sentence, code] of [
    [
      "there is no such command",
      {},
      ["sreve"],
      /^There is no command sreve\. Did you mean tollgate serve\?/,
      2,
    ],
    [
      "there is no such option",
      {},
      ["work", "--onyl", "providers"],
      /^--onyl is not an option of tollgate work\. Did you mean --only\?/,
      2,
    ],
    [
      "settings are missing, and one is wrong: all at once",
      { TOLLGATE_PORT: "http" },
      ["serve"],
      /^Set TOLLGATE_ENVIRONMENT, TOLLGATE_DATABASE_URL, TOLLGATE_KEY_FILE\. docs\/operating\/settings\.md describes them\.\nTOLLGATE_PORT must be a whole number\.\n$/,
      2,
    ],
    [
      "options are missing: all at once",
      {},
      ["connector", "add", "--name", "gcash"],
      /^Missing option: --url URL, --partner-id ID, --public-key FILE\. For an example, run `tollgate connector add --help`\.\n$/,
      2,
    ],
    [
      "a version is none",
      sandbox.operatorVariables,
      ["merchant", "key", "revoke", "--client-id", "SANDBOX_A", "--version", "one"],
      /^--version must be a whole number from 0 to 2147483647\.\n$/,
      2,
    ],
    [
      "there is no such file",
      sandbox.operatorVariables,
      ["merchant", "add", "--public-key", "/nowhere/public.pem"],
      /^The file \/nowhere\/public\.pem does not exist\.\n$/,
      1,
    ],
    [
      "the database is of another environment",
      { ...sandbox.operatorVariables, TOLLGATE_OWNER_DATABASE_URL: live.database.ownerUrl },
      add,
      /^The database is for live, not for sandbox\. Check TOLLGATE_OWNER_DATABASE_URL and --environment\.\n$/,
      1,
    ],
  ] as const) {
    test(`the error says what is wrong: ${name}`, async () => {
      assertOnlyError(await run(variables, ...args), sentence, code);
    });
  }

  test("the error says what is wrong: no server at the database's address", async () => {
    const url = `postgres://nobody@127.0.0.1:${await findFreePort()}/nowhere`;
    const variables = { ...sandbox.operatorVariables, TOLLGATE_OWNER_DATABASE_URL: url };
    assertOnlyError(
      await run(variables, "migrate"),
      /^There is no response from 127\.0\.0\.1:\d+\. Check that the service is running\.\n$/,
    );
  });

  test("serve with the wrong key file reports the reason, and exits at once", async () => {
    const keyFile = join(folder, "other-key");
    await writeFile(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
    const ran = await run({ ...sandbox.variables, TOLLGATE_KEY_FILE: keyFile }, "serve");
    assertOnlyError(
      ran,
      /^Gateway key 1 of sandbox does not open: the key file is not the one with which it was wrapped/,
    );
    // An open connection pool would keep the process alive for ten seconds, so the exit time shows whether it was
    // closed.
    assert.ok(ran.lingeredMs < 5_000, `It stayed for ${ran.lingeredMs} ms.`);
  });

  test("an up-to-date database is not changed", async () => {
    const { code, output, errorOutput } = await run(sandbox.operatorVariables, "migrate");
    assert.deepEqual([code, output, errorOutput], [0, "up to date\n", ""]);
  });

  test("adding a sandbox merchant prints its id to stdout, and the rest to stderr", async () => {
    const { code, output, errorOutput } = await run(
      sandbox.operatorVariables,
      ...add,
      "--name",
      "Coffee Lab",
    );
    assert.equal(code, 0, errorOutput);
    assert.match(output, /^SANDBOX_[0-9A-Z]{16}\n$/);
    assert.match(
      errorOutput,
      /^The merchant signs with its key version 1\. Responses are signed with gateway key version 1; verify them with:\n-----BEGIN/,
    );
    const key = createPublicKey(errorOutput.slice(errorOutput.indexOf("-----BEGIN")));
    assert.equal(key.asymmetricKeyDetails?.modulusLength, 2048);

    const client = ["--client-id", output.trim()] as const;
    const added = await run(
      sandbox.operatorVariables,
      "merchant",
      "key",
      "add",
      ...client,
      "--public-key",
      publicKeyFile,
    );
    assert.equal(added.output, "key version 2\n", added.errorOutput);
    const revoked = await run(
      sandbox.operatorVariables,
      "merchant",
      "key",
      "revoke",
      ...client,
      "--version",
      "1",
    );
    assert.equal(revoked.output, "revoked\n", revoked.errorOutput);
  });

  test("live requires a proof of possession, explains how to make it, and accepts it with any merchant name", async () => {
    const name = `Joe's "best" $HOME & Söhne`;
    assertOnlyError(
      await run(live.operatorVariables, ...add),
      /^Give the reason with --reason TEXT\. In live/,
      2,
    );
    const why = ["--reason", "contract 17", "--name", name];
    const demanded = await run(live.operatorVariables, ...add, ...why);
    assertOnlyError(
      demanded,
      /^Live requires a proof that the merchant holds the private key: Run printf %s /,
    );
    const command = demanded.errorOutput.slice(
      demanded.errorOutput.indexOf("printf"),
      demanded.errorOutput.indexOf(", then add --proof"),
    );
    await promisify(execFile)("sh", ["-c", command], { cwd: folder });

    const proof = ["--proof", join(folder, "proof.bin")];
    const added = await run(live.operatorVariables, ...add, ...why, ...proof);
    assert.equal(added.code, 0, added.errorOutput);
    assert.match(added.output, /^[0-9A-Z]{16}\n$/);
  });

  test("serve prints its address, answers, and stops on a signal", async () => {
    const env = { ...bareEnvironment, ...sandbox.variables };
    const program = spawn(process.execPath, [main, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
    let errorOutput = "";
    const url = await new Promise<string>((resolve) => {
      program.stderr.setEncoding("utf8").on("data", (text: string) => {
        errorOutput += text;
        const [, found] = /^Tollgate serves sandbox at (http:\S+)\n/m.exec(errorOutput) ?? [];
        if (found) resolve(found);
      });
      program.on("close", () => resolve(""));
    });
    assert.ok(url, errorOutput);
    assert.deepEqual(await (await fetch(`${url}/livez`)).json(), { alive: true });

    const closed = new Promise((resolve) => program.on("close", resolve));
    program.kill("SIGTERM");
    assert.equal(await closed, 0);
    assert.match(errorOutput, /SIGTERM: /);
  });

  test("the OpenAPI document is printed", async () => {
    const { code, output } = await run({}, "openapi");
    assert.equal(code, 0);
    assert.partialDeepStrictEqual(JSON.parse(output), { openapi: "3.1.0", info: { title: "Tollgate" } });
  });
});
