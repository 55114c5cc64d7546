import type { Commands } from "./commands/command.ts";
import { operatorCommands } from "./commands/operator-commands.ts";
import { runCommandLine } from "./commands/run-command-line.ts";
import { print } from "./commands/show.ts";
import { version } from "./core/version.ts";

/** For those who change Tollgate; not in the published package's list. */
const contributorCommands: Commands = {
  openapi: {
    does: "print the OpenAPI document",
    options: {},
    examples: ["tollgate openapi"],
    run: async () => {
      const [{ openApi }, { operations }] = await Promise.all([
        import("./api/openapi.ts"),
        import("./api/operations.ts"),
      ]);
      print(JSON.stringify(openApi(operations), undefined, 2));
    },
  },
  generate: {
    does: "write what is derived from the code",
    options: { check: { does: "only tell what would change" } },
    examples: ["tollgate generate", "tollgate generate --check"],
    run: async (given) => {
      const { generate } = await import("./commands/generate.ts");
      const isCheck = given.has("check");
      const changed = await generate(isCheck);
      if (isCheck && changed.length > 0)
        throw new Error(`Out of date, run npm run generate: ${changed.join(", ")}`);
      print(changed.length === 0 ? "up to date" : changed.join("\n"));
    },
  },
};

/** `tollgate` without the merchants' commands, from the sources: `node server/src/main.ts serve`. */
await runCommandLine(
  process.argv.slice(2),
  [
    { title: "For operators of a gateway", commands: operatorCommands },
    { title: "For contributors", commands: contributorCommands },
  ],
  version,
);
