import { version } from "../core/version.ts";
import type { Commands } from "../operators/framework/command.ts";
import { jsonOption, operatorOptions, settingsOf } from "../operators/framework/operator.ts";
import { checkSettings } from "../settings/settings.ts";
import { staffSettingNames } from "../settings/staff-settings.ts";
import { print, show } from "../operators/framework/show.ts";

/** Commands to run before starting the gateway: the release, and the problems that would prevent a start. */
export const releaseCommands: Commands = {
  version: {
    does: "Show the release, its commit and its newest migration",
    about: "It does not query the database. `--version` prints only the release.",
    options: jsonOption,
    examples: ["tollgate version", "tollgate version --json"],
    run: async (given) => {
      const { readPackage } = await import("./read-package.ts");
      const { commit, migration } = await readPackage();
      const text = `release    ${version}\ncommit     ${commit ?? "unknown, run from its sources"}\nmigration  ${migration}`;
      show(given, { release: version, commit, migration }, text);
    },
  },
  preflight: {
    does: "List problems that prevent a start of `serve`, `serve-staff` or `work`",
    about:
      "Run it with the settings of the process, before you stop the running one. It changes nothing. Exits 1 if there is a problem.\n" +
      "It needs TOLLGATE_ENVIRONMENT, TOLLGATE_DATABASE_URL and TOLLGATE_KEY_FILE.",
    options: {
      staff: { does: "Check the settings of `serve-staff` instead of `serve` and `work`" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate preflight",
      "tollgate preflight --staff",
      "tollgate preflight --environment live --json",
    ],
    run: async (given) => {
      const settings = settingsOf(given, ["environment", "databaseUrl", "keyFile", "tls", "publicUrl"]);
      const { environment } = settings;
      const { findProblems } = await import("./find-problems.ts");
      if (given.has("staff")) checkSettings(settings.staff, staffSettingNames);
      const warnings: string[] = [];
      const kind = given.has("staff") ? "staff" : "gateway";
      const problems = await findProblems(settings, kind, (warning) => warnings.push(warning));
      const isReady = problems.length === 0;
      const lines = [
        ...warnings.map((warning) => `Warning: ${warning}`),
        ...problems.flatMap(({ problem, whatToDo }) => [`- ${problem}`, `  ${whatToDo}`]),
        ...(isReady ? [`${environment} can start.`] : []),
      ];
      if (given.has("json")) show(given, { environment, problems, warnings }, "");
      else print(lines.join("\n"));
      if (!isReady) process.exitCode = 1;
    },
  },
};
