import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { version } from "../../../clients/typescript/src/version.ts";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { root } from "./programs.ts";

/** Wrong starts, each as a process: the output must be a sentence that says what to do, and never a stack trace. */
const home = await mkdtemp(join(tmpdir(), "tollgate-wrong-"));
// The folder has mode 777, because starts as other users than root must be able to use it, too.
await chmod(home, 0o777);
after(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
const program = join(root, "cli/src/start.ts");
const occupiedServer = createServer().listen(0, "127.0.0.1");
await new Promise((resolve) => occupiedServer.once("listening", resolve));
after(() => occupiedServer.close());
const occupiedPort = (occupiedServer.address() as AddressInfo).port;
const unprivilegedUser = 65_534;
const isRoot = process.getuid?.() === 0;

/**
 * All awaits are before the first test, because Node cleans up a test file as soon as its registered tests are done.
 */
const disk = join(home, "disk");
await mkdir(disk);
/** Mounts a small disk for one command. Only root can mount it, and not in every container. */
const onSmallDisk = (command: string): readonly string[] => [
  "--mount",
  "bash",
  "-c",
  `mount -t tmpfs -o size=2m,mode=755 none "$2" || exit 77; ${command}`,
  process.execPath,
  program,
  disk,
];
const [unmountable] = await runStart("unshare", onSmallDisk("true"));

interface Start {
  readonly programArguments: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly uid?: number;
  /** Prepares the folder before the start, as a shell command would. */
  readonly before?: (folder: string) => Promise<void>;
}

interface StartResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run({
  programArguments,
  variables = {},
  cwd = home,
  uid,
}: Omit<Start, "before">): Promise<StartResult> {
  const child = spawn(process.execPath, [program, ...programArguments], {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 30_000,
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** Returns the last line of the output, with placeholders for values that differ between machines. */
function lastErrorLine({ stderr }: StartResult): string {
  const line = stderr.trim().split("\n").at(-1) ?? "";
  return line
    .replaceAll(home, "HOME")
    .replaceAll(String(occupiedPort), "TAKEN")
    .replaceAll(/--(https-)?port \d+/g, "--$1port FREE")
    .replaceAll(/process \d+|kill \d+/g, (found) => found.replace(/\d+/, "PID"));
}

const dev = (...programArguments: readonly string[]): Pick<Start, "programArguments"> => ({
  programArguments: ["dev", ...programArguments],
});
const folderOption = (name: string): readonly string[] => ["--folder", join(home, name)];
const writeTo = (path: string, content: string) => async (): Promise<void> => {
  await mkdir(join(home, path, ".."), { recursive: true });
  await writeFile(join(home, path), content);
};
const installHint =
  "Install PostgreSQL 15 or newer (on Debian: apt-get install postgresql), or let npm install the optional packages of " +
  "tollgate, which contain one for Linux with glibc and for macOS.";

/** Wrong starts by the name of the mistake, each with its expected exit code and last line. */
const wrongStarts: Readonly<Record<string, readonly [Start, number, string]>> = {
  "an unknown option": [
    dev("--sed"),
    2,
    "--sed is not an option of tollgate dev. Did you mean --seed? List the options with `tollgate dev --help`.",
  ],
  "an unknown command": [
    { programArguments: ["dve"] },
    2,
    "There is no command dve. Did you mean tollgate dev? List all commands with `tollgate --help --all`.",
  ],
  "an invalid port": [dev("--port", "eighty"), 2, "--port is a number from 1 to 65535, and not eighty."],
  "options that exclude each other": [
    dev("--ephemeral", "--reset"),
    2,
    "--ephemeral stores nothing and can not be combined with --folder or --reset.",
  ],
  "a port in use": [
    dev(...folderOption("port"), "--port", String(occupiedPort)),
    1,
    "Port TAKEN is used by another program, or you may not use it. Stop that program, or choose another port: --port FREE.",
  ],
  "an https port in use": [
    dev(...folderOption("https"), "--https-port", String(occupiedPort)),
    1,
    "Port TAKEN is used by another program, or you may not use it. Stop that program, or choose another port: --https-port FREE.",
  ],
  "a file where the folder should be": [
    { ...dev(...folderOption("file")), before: writeTo("file", "") },
    1,
    "HOME/file is a file. Choose another with --folder FOLDER.",
  ],
  "a folder with other contents": [
    { ...dev(...folderOption("thesis")), before: writeTo("thesis/chapter-1.tex", "") },
    1,
    "HOME/thesis contains files that are not Tollgate's. Choose another with --folder FOLDER.",
  ],
  "a folder that another program has changed": [
    { ...dev(...folderOption("garbled")), before: writeTo("garbled/dev.json", '{"format":') },
    1,
    "HOME/garbled/dev.json can not be read: another program has changed it. Restore it, or delete the data with `tollgate dev --reset`.",
  ],
  "a folder of a newer Tollgate": [
    {
      ...dev(...folderOption("newer")),
      before: writeTo("newer/dev.json", '{"format":99,"version":"9.0.0"}'),
    },
    1,
    `HOME/newer was made by Tollgate 9.0.0, whose format differs from this version, ${version}. Use Tollgate 9.0.0, or delete the data with \`tollgate dev --reset\`.`,
  ],
  "a second start in one folder": [
    {
      ...dev(...folderOption("twice")),
      before: writeTo(
        "twice/running.json",
        JSON.stringify({ pid: process.pid, baseUrl: "http://127.0.0.1:8484" }),
      ),
    },
    1,
    "Tollgate already runs in HOME/twice, at http://127.0.0.1:8484 (process PID). Use it, stop it with `kill PID`, or start another with --folder OTHER. If process PID is not Tollgate, remove HOME/twice/running.json.",
  ],
  "no PostgreSQL, and no embedded one": [
    dev(...folderOption("embedded"), "--postgres", "embedded"),
    1,
    `The embedded PostgreSQL is not installed for this platform. ${installHint}`,
  ],
  "a folder without programs of PostgreSQL": [
    dev(...folderOption("programs"), "--postgres", "/nonexistent"),
    1,
    "/nonexistent contains no programs initdb and postgres of version 15 or newer.",
  ],
  "no folder for temporary files": [
    { ...dev("--ephemeral"), variables: { TMPDIR: "/nonexistent" } },
    1,
    "The folder for temporary files, /nonexistent, does not exist. Create it, or set TMPDIR to another.",
  ],
  "https without openssl": [
    { ...dev("--ephemeral", "--https-port", "18443"), variables: { PATH: "/nonexistent" } },
    1,
    "--https-port needs openssl, which is not installed. Install it, or omit the option.",
  ],
  "a payment without a running gateway": [
    { programArguments: ["pay", "--folder", join(home, "nobody")] },
    1,
    "No gateway is configured here. Run `tollgate dev` in this folder, in another terminal; or set TOLLGATE_BASE_URL, TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY_FILE and TOLLGATE_GATEWAY_PUBLIC_KEY_FILE.",
  ],
};

for (const [what, [start, code, sentence]] of Object.entries(wrongStarts))
  test(`a wrong start prints what to do: ${what}`, async () => {
    await start.before?.(home);
    const ended = await run(start);
    assert.equal(lastErrorLine(ended), sentence);
    assert.equal(ended.code, code);
    assert.equal(ended.stdout, "");
    assert.doesNotMatch(ended.stderr, /^\s+at .*\d+:\d+/m);
  });

test("an error names a folder that is not writable", { skip: !isRoot }, async () => {
  const folder = join(home, "private");
  await mkdir(folder, { mode: 0o700 });
  const ended = await run({
    ...dev("--folder", join(folder, "here")),
    uid: unprivilegedUser,
    variables: { HOME: home },
  });
  assert.equal(
    lastErrorLine(ended),
    "You have no permission to read or write HOME/private/here. Choose another folder, or change its permissions.",
  );
  assert.equal(ended.code, 1);
});

test("help is printed on standard output with exit code 0", async () => {
  const { code, stdout, stderr } = await run(dev("--help"));
  assert.deepEqual([code, stderr], [0, ""]);
  for (const option of ["--port N", "--seed", "--lan", "--ephemeral", "--reset"])
    assert.match(stdout, new RegExp(`^  ${option}`, "m"));
});

test("a start that is killed at any moment starts again with the same data", async () => {
  const folder = join(home, "killed");
  const programArguments = [
    program,
    "dev",
    "--json",
    "--port",
    String(await findFreePort()),
    "--folder",
    folder,
  ];
  /** The file whose creation triggers the kill of each start. */
  for (const sign of [/^postgres\/data\/PG_VERSION$/, /^gateway-public\.pem$/]) {
    const child = spawn(process.execPath, programArguments, {
      stdio: "ignore",
    });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    const giveUpAtMs = performance.now() + 20_000;
    while (
      performance.now() < giveUpAtMs &&
      !(await readdir(folder, { recursive: true }).catch(() => [])).some((path) => sign.test(path))
    )
      await sleep(10);
    child.kill("SIGKILL");
    await exited;
  }
  const child = spawn(process.execPath, programArguments, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await new Promise((resolve) => child.stdout.once("data", resolve)).then(String)).split(
    "\n",
  );
  const { docsUrl } = JSON.parse(line ?? "") as { readonly docsUrl: string };
  assert.equal((await fetch(docsUrl)).status, 200);
  child.kill("SIGTERM");
  assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 0);
});

test("when the reader of its output is gone, it stops at the next line and leaves no process behind", async () => {
  const folder = join(home, "unread");
  await mkdir(folder, { mode: 0o755 });
  const child = spawn(process.execPath, [program, "dev", "--ephemeral"], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errorOutput = text(child.stderr);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  after(() => child.kill());
  const gateway = await new Promise<string>((resolve) => {
    // Reads all output up to the line `gateway`, because a slow machine may print a warning of a part before the
    // welcome text.
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
      const found = /^ {2}gateway +(\S+)$/m.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  child.stdout.destroy();
  await fetch(`${gateway}/ams/sandbox/api/v1/payments/pay`, { method: "POST" });
  assert.equal(await exited, 0);
  assert.doesNotMatch(await errorOutput, /EPIPE|^\s+at /m);
  assert.deepEqual(await readdir(folder), []);
});

test("an error names a disk that is full or not writable", { skip: unmountable !== 0 }, async () => {
  const [, full] = await runStart("unshare", onSmallDisk('"$0" "$1" dev --folder "$2/here"'));
  assert.match(full, /No space left on device\nThe disk is full\. Free space and try again\.\n$/);
  const [, fixed] = await runStart(
    "unshare",
    onSmallDisk('mount -o remount,ro "$2"; "$0" "$1" dev --folder "$2/here"'),
  );
  assert.equal(
    fixed.replaceAll(home, "HOME"),
    "HOME/disk/here is on a read-only disk. Choose another folder.\n",
  );
});

test(
  "a machine without PostgreSQL gets instructions to install it",
  { skip: unmountable !== 0 },
  async () => {
    const withoutPostgres =
      'mount --bind "$2" /usr/lib/postgresql; PATH=/nonexistent exec "$0" "$1" dev --ephemeral';
    const [code, said] = await runStart("unshare", onSmallDisk(withoutPostgres));
    assert.deepEqual([code, said], [1, `There is no PostgreSQL to start. ${installHint}\n`]);
  },
);

test("a deleted current folder is reported", async () => {
  const lost = 'mkdir "$2/lost" && cd "$2/lost" && rmdir "$2/lost" && exec "$0" "$1" dev';
  const [code, said] = await runStart("bash", ["-c", lost, process.execPath, program, home]);
  assert.deepEqual(
    [code, said],
    [1, "The current folder was deleted. Change to an existing folder and try again.\n"],
  );
});

async function runStart(
  command: string,
  programArguments: readonly string[],
): Promise<readonly [number | null, string]> {
  const child = spawn(command, programArguments, { stdio: ["ignore", "ignore", "pipe"] });
  const code = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  const said = await text(child.stderr);
  return [await code, said];
}
