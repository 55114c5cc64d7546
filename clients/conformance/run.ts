import { spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startScriptedGateway } from "./scripted-gateway.ts";
import { byCode, http, keyload, modelCases, moneyCases, signCases, verifyCases } from "./vectors.ts";

/** How to run each language's cases. One whose folder is not there is left out, and said to be. */
interface Runner {
  readonly name: string;
  /** Below `clients/`: the runner is there if this is. */
  readonly file: string;
  readonly command: readonly [program: string, ...string[]];
  readonly ids: readonly string[];
}

const here = fileURLToPath(new URL("./", import.meta.url));
const clients = join(here, "..");
const runTimeoutMs = 300_000;
const ofLibraries = [
  ...idsOf("sign", signCases),
  ...idsOf("verify", verifyCases),
  ...idsOf("keyload", keyload.cases),
  ...idsOf("keyload", keyload.settings),
  ...idsOf("money", moneyCases),
  ...idsOf("models", modelCases),
  ...idsOf("http", http.cases),
  ...idsOf("by-code", byCode.cases),
];
const ofServer = [
  ...idsOf("sign", signCases),
  ...idsOf("verify", verifyCases),
  ...idsOf(
    "keyload",
    keyload.cases.filter(({ forServer }) => forServer),
  ),
  "currencies/all",
];

const runners: readonly Runner[] = [
  {
    name: "server",
    file: "conformance/server.ts",
    command: [process.execPath, "conformance/server.ts"],
    ids: ofServer,
  },
  {
    name: "typescript",
    file: "conformance/typescript.ts",
    command: [process.execPath, "conformance/typescript.ts"],
    ids: ofLibraries,
  },
  {
    name: "java",
    file: "conformance/java/run.sh",
    command: ["sh", "conformance/java/run.sh"],
    ids: ofLibraries,
  },
  {
    name: "php",
    file: "conformance/php/run.sh",
    command: ["sh", "conformance/php/run.sh"],
    ids: ofLibraries,
  },
  {
    name: "python",
    file: "conformance/python/run.sh",
    command: ["sh", "conformance/python/run.sh"],
    ids: ofLibraries,
  },
  {
    name: "go",
    file: "conformance/go/run.sh",
    command: ["sh", "conformance/go/run.sh"],
    ids: ofLibraries,
  },
];

const wanted = process.argv.slice(2);
const gateway = await startScriptedGateway();
const verdicts: string[] = [];
try {
  for (const runner of runners) {
    if (wanted.length > 0 && !wanted.includes(runner.name)) continue;
    verdicts.push(`${runner.name}=${await verdictOn(runner)}`);
  }
} finally {
  await gateway.stop();
}
process.stdout.write(`conformance: ${verdicts.join(" ")}\n`);

function idsOf(file: string, cases: readonly { readonly id: string }[]): string[] {
  return cases.map(({ id }) => `${file}/${id}`);
}

/** So many of so many; what failed, is missing or too much is said before. */
async function verdictOn({ name, file, command, ids }: Runner): Promise<string> {
  const isThere = await access(join(clients, file)).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    process.exitCode = 1;
    return `0/${ids.length}`;
  }
  const said = await linesOf(command);
  const verdictOf = new Map(said.map((line) => [line.split(" ")[0] ?? "", line]));
  const problems = [
    ...ids.filter((id) => !verdictOf.has(id)).map((id) => `${id} was not run`),
    ...[...verdictOf.keys()].filter((id) => !ids.includes(id)).map((id) => `${id} is no case`),
    ...[...verdictOf].flatMap(([id, line]) => (line === `${id} ok` ? [] : [line])),
    ...(verdictOf.size < said.length ? ["a case was run twice"] : []),
  ];
  for (const problem of problems) process.stderr.write(`${name}: ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  const passed = ids.filter((id) => verdictOf.get(id) === `${id} ok`);
  return `${passed.length}/${ids.length}`;
}

/** What a runner printed; a runner that fails has said too little, which is found out by its lines. */
function linesOf([program, ...parameters]: Runner["command"]): Promise<string[]> {
  const child = spawn(program, parameters, {
    cwd: clients,
    env: { ...process.env, CONFORMANCE_URL: gateway.url },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: runTimeoutMs,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(printed.split("\n").filter((line) => line !== "")));
  });
}
