import { execFile } from "node:child_process";
import { join } from "node:path";
import { cacheFolder } from "../../dev/cache-folder.ts";
import { root } from "../../dev/programs.ts";
import type { Verdict } from "../conformance-case.ts";

/** The command's JSON output. */
export interface ConformResult {
  readonly code: number;
  readonly passed: boolean;
  readonly cases: readonly Verdict[];
  readonly settings: Readonly<Record<string, string>>;
  readonly command: string;
  readonly called: readonly string[];
}

/** Runs `tollgate conform …` in its own process. `onOutput` receives its other output while it runs. */
export function runConform(
  conformArguments: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  onOutput: (text: string) => void = () => undefined,
): Promise<ConformResult> {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cacheFolder(), "compiled"), ...variables };
  const commandLine = [join(root, "cli/src/start.ts"), "conform", ...conformArguments, "--json"];
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      commandLine,
      { env, maxBuffer: 10_000_000, timeout: 120_000 },
      (error, stdout, stderr) => {
        const code = typeof error?.code === "number" ? error.code : 0;
        if (!stdout.startsWith("{"))
          reject(new Error(`It printed no JSON, and exited with ${code}: ${stderr}`));
        else resolve({ ...(JSON.parse(stdout) as Omit<ConformResult, "code">), code });
      },
    );
    child.stderr?.setEncoding("utf8").on("data", onOutput);
  });
}

/** Ids of the cases of this grade that are broken. */
export function brokenCaseIds({ cases }: ConformResult, grade: Verdict["grade"] = "must"): string[] {
  return cases.filter((each) => each.outcome === "broken" && each.grade === grade).map(({ id }) => id);
}

/** The broken cases with their findings, for assertion messages. */
export function describeBroken({ cases }: ConformResult): string {
  const broken = cases.filter(({ outcome }) => outcome === "broken");
  return broken.map(({ id, found }) => `${id}: ${found}`).join("\n");
}
