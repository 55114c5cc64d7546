import { version } from "../core/version.ts";
import type { Commands } from "../operators/framework/command.ts";
import { jsonOption, operatorOptions, settingsOf } from "../operators/framework/operator-options.ts";
import { checkSettings } from "../settings/settings.ts";
import { staffSettingNames } from "../settings/staff-settings.ts";
import { print, printResult } from "../operators/framework/print-result.ts";

/** Commands to run before starting the gateway: the release, and the problems that would prevent a start. */
export const releaseCommands: Commands = {
  version: {
    summary: "Show the release, its commit and its newest migration",
    description: "It does not query the database. `--version` prints only the release.",
    options: jsonOption,
    examples: ["tollgate version", "tollgate version --json"],
    run: async (args) => {
      const { readPackageInfo } = await import("./read-package-info.ts");
      const { commit, migration } = await readPackageInfo();
      const text = `release    ${version}\ncommit     ${commit ?? "unknown, run from its sources"}\nmigration  ${migration}`;
      printResult(args, { release: version, commit, migration }, text);
    },
  },
  preflight: {
    summary: "List problems that prevent a start of `serve`, `serve-staff` or `work`",
    description:
      "Run it with the settings of the process, before you stop the running one. It changes nothing. Exits 1 if there is a problem.\n" +
      "It needs TOLLGATE_ENVIRONMENT, TOLLGATE_DATABASE_URL and TOLLGATE_KEY_FILE.",
    options: {
      staff: { summary: "Check the settings of `serve-staff` instead of `serve` and `work`" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate preflight",
      "tollgate preflight --staff",
      "tollgate preflight --environment live --json",
    ],
    run: async (args) => {
      const settings = settingsOf(args, ["environment", "databaseUrl", "keyFile", "tls", "publicUrl"]);
      const { environment } = settings;
      const { findStartProblems } = await import("./find-start-problems.ts");
      if (args.has("staff")) checkSettings(settings.staff, staffSettingNames);
      const warnings: string[] = [];
      const kind = args.has("staff") ? "staff" : "gateway";
      const problems = await findStartProblems(settings, kind, (warning) => warnings.push(warning));
      const isReady = problems.length === 0;
      const lines = [
        ...warnings.map((warning) => `Warning: ${warning}`),
        ...problems.flatMap(({ problem, whatToDo }) => [`- ${problem}`, `  ${whatToDo}`]),
        ...(isReady ? [`${environment} can start.`] : []),
      ];
      if (args.has("json")) printResult(args, { environment, problems, warnings }, "");
      else print(lines.join("\n"));
      if (!isReady) process.exitCode = 1;
    },
  },
};
