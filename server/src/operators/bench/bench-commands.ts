import type { Commands, CommandArguments } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { jsonOption, operatorOptions, settingsOf } from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

/** Commands that measure an installation. */
export const benchCommands: Commands = {
  bench: {
    summary: "Load-test the sandbox: highest payment rate and first bottleneck",
    description:
      "Sends payments and inquiries at a fixed rate without waiting for responses (open loop), and raises the " +
      "rate until the gateway falls behind. It pays at the simulated provider with isolated test merchants of " +
      "its own. They are opened with the secret in TOLLGATE_CONTROL_SECRET_FILE and closed at the end; " +
      "`tollgate universe sweep` deletes their data. With TOLLGATE_OWNER_DATABASE_URL it also reports CPU use " +
      "and wait events of PostgreSQL, serve and work. Run it only in the sandbox, on otherwise idle machines. " +
      "docs/operating/load-test.md explains the report.",
    options: {
      url: { value: "URL", summary: "Address of the gateway (default TOLLGATE_PUBLIC_URL)" },
      from: { value: "N", summary: "First rate, in payments per second (default 50)" },
      to: { value: "N", summary: "Last rate, in payments per second (default 5000)" },
      seconds: { value: "N", summary: "Duration of each rate in seconds (default 5)" },
      p99: {
        value: "MS",
        summary: "Maximum p99 response time in ms; above it, a rate fails (default 500)",
      },
      connections: {
        value: "N",
        summary: "Connections to the gateway, at most 200 per address (default 100)",
      },
      for: {
        value: "N",
        summary: "Payments per second to size for (default: twice the sustained rate)",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate bench", "tollgate bench --url https://sandbox.example --from 100 --for 2000 --json"],
    run: bench,
  },
};

const rates = [1, 100_000] as const;

async function bench(args: CommandArguments): Promise<void> {
  const settings = settingsOf(args, ["environment", "publicUrl", "controlSecretFile"]);
  if (settings.environment !== "sandbox")
    throw new UsageError("A load test runs only in the sandbox, because live moves money.");
  if (!settings.controlSecretFile)
    throw new UsageError(
      "Set TOLLGATE_CONTROL_SECRET_FILE, the secret with which `serve` opens isolated test merchants.",
    );
  const url = args.value("url") ?? settings.publicUrl;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new UsageError("--url must be an http or https address.");
  const fromRate = parseWholeNumber(args, "from", rates) ?? 50;
  const [{ runBench }, { benchResultText, stepText }] = await Promise.all([
    import("./run-bench.ts"),
    import("./bench-report.ts"),
  ]);
  const result = await runBench({
    url: url.replace(/\/+$/, ""),
    controlSecretFile: settings.controlSecretFile,
    ownerDatabaseUrl: settings.hasOwnerLogin ? settings.ownerDatabaseUrl : undefined,
    seconds: parseWholeNumber(args, "seconds", [1, 600]) ?? 5,
    fromRate,
    toRate: Math.max(fromRate, parseWholeNumber(args, "to", rates) ?? 5_000),
    p99MsMax: parseWholeNumber(args, "p99", [1, 60_000]) ?? 500,
    connections: parseWholeNumber(args, "connections", [1, 150]) ?? 100,
    forRate: parseWholeNumber(args, "for", rates),
    onStep: (step) => {
      if (process.stderr.isTTY && !args.has("json")) process.stderr.write(`${stepText(step)}\n`);
    },
  });
  printResult(args, result, benchResultText(result));
}
