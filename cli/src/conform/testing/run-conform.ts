import { execFile } from "node:child_process";
import { join } from "node:path";
import { cacheFolder } from "../../dev/cache-folder.ts";
import { root } from "../../dev/programs.ts";
import type { Verdict } from "../case.ts";

/** The command's JSON output. */
export interface Conformed {
  readonly code: number;
  readonly passed: boolean;
  readonly cases: readonly Verdict[];
  readonly settings: Readonly<Record<string, string>>;
  readonly command: string;
  readonly called: readonly string[];
}

/** Runs `tollgate conform …` in its own process. `onSaid` receives its other output while it runs. */
export function runConform(
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  onSaid: (text: string) => void = () => undefined,
): Promise<Conformed> {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cacheFolder(), "compiled"), ...variables };
  const all = [join(root, "cli/src/start.ts"), "conform", ...words, "--json"];
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      all,
      { env, maxBuffer: 10_000_000, timeout: 120_000 },
      (error, stdout, stderr) => {
        const code = typeof error?.code === "number" ? error.code : 0;
        if (!stdout.startsWith("{"))
          reject(new Error(`It printed no JSON, and exited with ${code}: ${stderr}`));
        else resolve({ ...(JSON.parse(stdout) as Omit<Conformed, "code">), code });
      },
    );
    child.stderr?.setEncoding("utf8").on("data", onSaid);
  });
}

/** Ids of the cases of this grade that are broken. */
export function brokenIn({ cases }: Conformed, grade: Verdict["grade"] = "must"): string[] {
  return cases.filter((each) => each.outcome === "broken" && each.grade === grade).map(({ id }) => id);
}

/** The broken cases with their findings, for assertion messages. */
export function toldOf({ cases }: Conformed): string {
  const broken = cases.filter(({ outcome }) => outcome === "broken");
  return broken.map(({ id, found }) => `${id}: ${found}`).join("\n");
}
