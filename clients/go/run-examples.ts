import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startExampleGateway, type ExampleGateway } from "../life/example-gateway.ts";
import { conformReceiverExample, testReceiverExample } from "../life/receiver-examples.ts";
import { startShopDatabase } from "../life/shop-database.ts";

/**
 * Follows the README like a developer who has only the repository. In an empty project it runs the lines that
 * install the library from its archive, and then every example, with a real gateway.
 */
const here = import.meta.dirname;
const root = join(here, "../..");
const run = promisify(execFile);
const programs = ["pay", "refund", "errors", "instore", "feed", "notify", "notifychi"];
const stepTimeoutMs = 300_000;
let exported = "";

const project = await mkdtemp(join(tmpdir(), "tollgate-go-project-"));
try {
  await installAsReadmeSays();
  await buildExamples();
  await runExamples();
  process.stdout.write(`go examples: ${programs.length} ok\n`);
} finally {
  await rm(project, { recursive: true, force: true });
}

/** Prepares the paths that the README uses: the repository is in the project as `tollgate/`. */
async function installAsReadmeSays(): Promise<void> {
  await symlink(root, join(project, "tollgate"));
  const readme = await readFile(join(here, "README.md"), "utf8");
  const lines = /```sh\n([^`]*go get [^`]*)```/.exec(readme)?.[1];
  if (lines === undefined) throw new Error("The README has no lines that install the library.");
  await shell(lines);
}

/** Builds the files that the README shows. Their dependencies have the versions that are pinned here. */
async function buildExamples(): Promise<void> {
  const pinned = await readFile(join(here, "examples/go.mod"), "utf8");
  const others = [...pinned.matchAll(/^\t(github\.com\/\S+) (v\S+)$/gm)].map(
    ([, name, version]) => `${name}@${version}`,
  );
  for (const name of [...programs, "orders"])
    await cp(join(here, "examples", name), join(project, name), { recursive: true });
  await mkdir(join(project, "bin"));
  await shell(`go get ${others.join(" ")}\ngo mod tidy\ngo build -o bin ./...`);
  const chosen = await readFile(join(project, "go.mod"), "utf8");
  if (chosen.includes("replace")) throw new Error("The project does not have the library from its archive.");
}

async function runExamples(): Promise<void> {
  const gateway = await startExampleGateway();
  const database = await startShopDatabase();
  const surroundings = { cwd: project, variables: { DATABASE_URL: database.url, PGSSLMODE: "disable" } };
  try {
    const paymentId = await payAsBuyer(gateway);
    expect(await output(gateway, "refund", paymentId), "SUCCESS");
    expect(await output(gateway, "errors"), "There is no such payment.");
    expect(await output(gateway, "instore", await gateway.paymentCode()), "Paid at the till: ");
    for (const name of ["notify", "notifychi"]) {
      await testReceiverExample(gateway, [join(project, "bin", name)], surroundings);
    }
    await conformReceiverExample(gateway, [join(project, "bin/notify")], surroundings);
    expect(await output(gateway, "feed"), "SUCCESS");
  } finally {
    await gateway.stop();
    await database.stop();
  }
}

/** Runs the example that pays, which waits until the buyer has approved. */
async function payAsBuyer({ variables, approve }: ExampleGateway): Promise<string> {
  const child = spawn(join(project, "bin/pay"), {
    env: { ...process.env, ...variables },
    timeout: stepTimeoutMs,
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let [said, paymentId] = ["", ""];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /Payment (\S+) waits/.exec(said)?.[1];
      if (found === undefined || paymentId !== "") return;
      paymentId = found;
      approve(found).catch((error: unknown) => child.kill() && (said += String(error)));
    });
  }
  await ended;
  expect(said, `Paid: ${paymentId}`);
  return paymentId;
}

async function output(
  { variables }: ExampleGateway,
  name: string,
  ...words: readonly string[]
): Promise<string> {
  const env = { ...process.env, ...variables };
  return (await run(join(project, "bin", name), words, { env, timeout: stepTimeoutMs })).stdout;
}

function expect(text: string, words: string): void {
  if (!text.includes(words)) throw new Error(`${JSON.stringify(text)} does not contain ${words}.`);
}

/** Runs lines in the project; exported variables are kept, as in a terminal. */
async function shell(lines: string): Promise<void> {
  exported += lines.match(/^export .*$/gm)?.join("\n") ?? "";
  // The cache is separate, because Go caches each version of a module, and here the content of the version
  // changes with every edit.
  const env = { ...process.env, GOMODCACHE: join(project, "cache"), GOFLAGS: "-modcacherw -buildvcs=false" };
  await run("sh", ["-euc", `${exported}\n${lines}`], { cwd: project, env, timeout: stepTimeoutMs }).catch(
    (error: { readonly stderr?: string }) => {
      throw new Error(`${lines}\n${error.stderr ?? ""}`, { cause: error });
    },
  );
}
