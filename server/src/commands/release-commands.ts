import { version } from "../core/version.ts";
import type { Commands } from "./command.ts";
import { jsonOption, operatorOptions, settingsOf } from "./operator.ts";
import { checkSettings } from "./settings.ts";
import { staffSettingNames } from "./staff-settings.ts";
import { print, show } from "./show.ts";

/** Commands that look before something is started: which release this is, and what would keep it from starting. */
export const releaseCommands: Commands = {
  version: {
    does: "which release this is, from which commit, and the newest migration that it brings",
    about: "It asks no database. `--version` prints the release alone.",
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
    does: "all that would keep `serve`, `serve-staff` and `work` from starting, and what to do about it",
    about:
      "Run it with the settings of the process, before you stop what runs. It changes nothing. Exit code 1 if there is any.\n" +
      "It needs TOLLGATE_ENVIRONMENT, TOLLGATE_DATABASE_URL and TOLLGATE_KEY_FILE.",
    options: {
      staff: { does: "Check the settings of `serve-staff`, and not those of `serve` or `work`" },
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
