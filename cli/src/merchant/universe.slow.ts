import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseEnv, promisify } from "node:util";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { waitForFirstLine, startProcess } from "../dev/processes.ts";
import { root } from "../dev/programs.ts";
import type { Ready } from "../running-file.ts";

const home = await mkdtemp(join(tmpdir(), "tollgate-universe-slow-"));
// If the test runs as root, PostgreSQL runs as another user, who must be able to enter the folder.
await chmod(home, 0o755);
after(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
const folder = join(home, "kept");
const program = join(root, "cli/src/start.ts");
const words = [program, "dev", "--folder", folder, "--port", String(await findFreePort()), "--json"];
const dev = startProcess("dev", words, {}, { stopTimeoutMs: 30_000 });
after(() => dev.stop());
const ready = JSON.parse(await waitForFirstLine(dev, "stdout")) as Ready;

interface CommandOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(command: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<CommandOutput> {
  const env = { PATH: process.env["PATH"], ...variables };
  return promisify(execFile)(process.execPath, [program, ...command], { env, cwd: home }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout: stdout.trim(), stderr: stderr.trim() }),
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => ({
      code: error.code,
      stdout: error.stdout.trim(),
      stderr: error.stderr.trim(),
    }),
  );
}

const universe = (...command: readonly string[]): Promise<CommandOutput> =>
  run(["universe", ...command, "--folder", folder]);

test("the printed settings work in the client libraries: pay, approve and refund with the test merchant, and close it", async () => {
  const { code, stdout } = await universe("new", "--name", "Coffee Lab", "--minutes", "5");
  assert.equal(code, 0);
  const variables = parseEnv(stdout) as NodeJS.ProcessEnv;
  const { TOLLGATE_CLIENT_ID: clientId = "", TOLLGATE_BASE_URL: baseUrl } = variables;
  assert.match(clientId, /^SANDBOX_U\d+_/);
  assert.equal(baseUrl, ready.baseUrl);
  const paid = JSON.parse((await run(["pay", "9.90", "--json"], variables)).stdout) as { paymentId: string };
  assert.equal((await run(["approve", paid.paymentId], variables)).stdout, "approved");
  assert.match((await run(["refund", paid.paymentId], variables)).stdout, /^SUCCESS {2}EUR 9\.90/);
  assert.match((await universe("list")).stdout, new RegExp(`^${clientId} {2}closes \\S+ {2}Coffee Lab$`));
  assert.deepEqual(await universe("close", clientId), {
    code: 0,
    stdout: `closed    ${clientId}`,
    stderr: "",
  });
  assert.equal((await universe("list")).stdout, "none is open");
  const refused = await run(["pay"], variables);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /This isolated test merchant is closed permanently/);
});

test("with --public-key no private key is created, and --json prints the same settings", async () => {
  const { stdout } = await universe("new", "--public-key", join(folder, "merchant-public.pem"), "--json");
  const opened = JSON.parse(stdout) as Record<string, unknown>;
  assert.equal(opened["privateKey"], undefined);
  assert.equal(opened["walletUrl"], ready.walletUrl);
  const { stdout: listed } = await universe("list", "--json");
  assert.match(listed, new RegExp(`"clientId":"${String(opened["clientId"])}"`));
});

test("a mistake gets an error message", async () => {
  const empty = join(home, "empty.pem");
  await writeFile(empty, "nothing\n");
  for (const [command, code, sentence] of [
    [["nwe"], 2, /^There is no command universe nwe\. Did you mean tollgate universe new\?/],
    [["close"], 2, /^CLIENT_ID is missing/],
    [["list", "SANDBOX_U1"], 2, /^Unexpected argument SANDBOX_U1\. Usage: tollgate universe list\./],
    [["new", "--minutes", "soon"], 2, /--minutes must be a whole number/],
    [["new", "--public-key", empty], 1, /^publicKey: This is not a public key/],
    [["close", "SANDBOX_U1_0"], 1, /^This universe does not exist/],
  ] as const) {
    const output = await universe(...command);
    assert.equal(output.code, code, output.stderr);
    assert.match(output.stderr, sentence);
    assert.doesNotMatch(output.stderr, /\n/);
  }
  const unconfigured = await run(["universe", "list"]);
  assert.match(unconfigured.stderr, /^No sandbox is configured here\. Run `tollgate dev`/);
  const wrongSecret = { TOLLGATE_BASE_URL: ready.baseUrl, TOLLGATE_CONTROL_SECRET: "guessed" };
  assert.match((await run(["universe", "list"], wrongSecret)).stderr, /^Send the sandbox's control secret/);
});
