import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** Tests that open every page of a part, in every state. */
const parts: Readonly<Record<string, readonly string[]>> = {
  checkout: ["benchmarks/server/checkout-page-states.load.ts"],
  provider: ["sandbox/src/testing/wallet-page-states.load.ts"],
  card: ["sandbox/src/testing/card-page-states.load.ts"],
  till: ["examples/till/testing/looks.load.ts"],
  portal: [
    "portal/test/pages.load.ts",
    "portal/test/business.load.ts",
    "portal/test/brand.slow.ts",
    "portal/test/finance.slow.ts",
    "portal/test/go-live.slow.ts",
    "portal/test/journey.slow.ts",
    "portal/test/operator-accounts.slow.ts",
    "portal/test/operator.slow.ts",
    "portal/test/workbench.slow.ts",
  ],
};
const names = Object.keys(parts);

const usage = `Take screenshots of every page and state, in screenshots/PART, which git ignores.\n\n  npm run screenshots [-- [--compare] [PART…]]\n\n  PART…       Only these parts, of ${names.join(", ")}
  \n  --compare   Compare with the stored ones; differing pages are in screenshots/different\n\nTo see what a change does, run it before the change, and with --compare after it.\n
`;

const { values: options, positionals } = parseArgs({
  options: {
    compare: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
  allowPositionals: true,
});
const isUnknown = positionals.some((name) => !names.includes(name));
if (options.help || isUnknown) {
  process[isUnknown ? "stderr" : "stdout"].write(usage);
  process.exit(isUnknown ? 2 : 0);
}

const root = join(import.meta.dirname, "..");
const failed: string[] = [];
for (const name of positionals.length > 0 ? positionals : names) {
  // Removes old screenshots, so that a deleted page leaves none.
  rmSync(join(root, "screenshots", options.compare ? "different" : "", name), {
    recursive: true,
    force: true,
  });
  if (!takeScreenshots(name)) failed.push(name);
}
process.stdout.write(`screenshots: ${failed.length === 0 ? "ok" : `failed ${failed.join(", ")}`}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

function takeScreenshots(name: string): boolean {
  const setup = "--test-global-setup=server/test/start/global-setup.ts";
  const { status } = spawnSync(
    process.execPath,
    ["--test", "--test-concurrency=1", setup, ...(parts[name] ?? [])],
    {
      cwd: root,
      env: {
        ...process.env,
        TOLLGATE_SCREENSHOTS: options.compare ? "compare" : "write",
        // TOLLGATE_WHOLE makes the portal's tests open all pages. By default they open only a few.
        TOLLGATE_WHOLE: "1",
      },
      stdio: "inherit",
    },
  );
  return status === 0;
}
