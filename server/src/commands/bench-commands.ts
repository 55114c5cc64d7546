import { UsageError, type Commands, type Given } from "./command.ts";
import { jsonOption, operatorOptions, settingsOf } from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

/** Commands that measure an installation. */
export const benchCommands: Commands = {
  bench: {
    does: "how many payments a second your sandbox takes on your machines, and what holds it up",
    about:
      "Sends payments and inquiries at a fixed rate, whether the last ones were answered or not, and raises it until the gateway does not keep up.\n" +
      "Merchants of its own pay with the wallet's simulator: universes, which it opens with the secret in TOLLGATE_CONTROL_SECRET_FILE and closes\n" +
      "at the end; `tollgate universe sweep` deletes what they leave. With TOLLGATE_OWNER_DATABASE_URL it also says what PostgreSQL, serve and work\n" +
      "use and wait for. In the sandbox only, and on machines that do nothing else; docs/operating/bench.md says how to read it.",
    options: {
      url: { value: "URL", does: "where the gateway answers, if not at TOLLGATE_PUBLIC_URL" },
      from: { value: "N", does: "payments a second to begin with; 50 unless said otherwise" },
      to: { value: "N", does: "payments a second to end with; 5000 unless said otherwise" },
      seconds: { value: "N", does: "how long each rate is held; 5 unless said otherwise" },
      p99: {
        value: "MS",
        does: "what 99 of 100 answers may take, or it counts as not kept up; 500 unless said otherwise",
      },
      connections: {
        value: "N",
        does: "connections to the gateway, which takes 200 from an address; 100 unless said otherwise",
      },
      for: {
        value: "N",
        does: "payments a second to advise a size for; twice what was kept up with, unless said otherwise",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate bench", "tollgate bench --url https://sandbox.example --from 100 --for 2000 --json"],
    run: bench,
  },
};

const rates = [1, 100_000] as const;

async function bench(given: Given): Promise<void> {
  const settings = settingsOf(given, ["environment", "publicUrl", "controlSecretFile"]);
  if (settings.environment !== "sandbox")
    throw new UsageError("A load is for a sandbox only: live moves money.");
  if (!settings.controlSecretFile)
    throw new UsageError("Set TOLLGATE_CONTROL_SECRET_FILE: the secret with which `serve` opens universes.");
  const url = given.value("url") ?? settings.publicUrl;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new UsageError("--url is an address, http or https.");
  const fromRate = wholeNumber(given, "from", rates) ?? 50;
  const [{ runBench }, { benchText, stepText }] = await Promise.all([
    import("./bench/run-bench.ts"),
    import("./bench/bench-report.ts"),
  ]);
  const result = await runBench({
    url: url.replace(/\/+$/, ""),
    controlSecretFile: settings.controlSecretFile,
    ownerDatabaseUrl: settings.holdsOwnersLogin ? settings.ownerDatabaseUrl : undefined,
    seconds: wholeNumber(given, "seconds", [1, 600]) ?? 5,
    fromRate,
    toRate: Math.max(fromRate, wholeNumber(given, "to", rates) ?? 5_000),
    p99MsMax: wholeNumber(given, "p99", [1, 60_000]) ?? 500,
    connections: wholeNumber(given, "connections", [1, 150]) ?? 100,
    forRate: wholeNumber(given, "for", rates),
    onStep: (step) => {
      if (process.stderr.isTTY && !given.has("json")) process.stderr.write(`${stepText(step)}\n`);
    },
  });
  show(given, result, benchText(result));
}
