import type { Commands } from "./operators/framework/command.ts";
import { operatorCommands } from "./processes/operator-commands.ts";
import { runCommandLine } from "./operators/framework/run-command-line.ts";
import { print } from "./operators/framework/print-result.ts";
import { version } from "./core/version.ts";

/** Commands for contributors, which the published package does not have. */
const contributorCommands: Commands = {
  openapi: {
    summary: "Print the OpenAPI document",
    options: {},
    examples: ["tollgate openapi"],
    run: async () => {
      const [{ openApi }, { operations }] = await Promise.all([
        import("./catalog/openapi.ts"),
        import("./catalog/operations.ts"),
      ]);
      print(JSON.stringify(openApi(operations), undefined, 2));
    },
  },
  generate: {
    summary: "Generate documents, client libraries and schemas from the code",
    options: { check: { summary: "List outdated files without writing them" } },
    examples: ["tollgate generate", "tollgate generate --check"],
    run: async (args) => {
      const { generate } = await import("./documents/generate.ts");
      const isCheck = args.has("check");
      const changed = await generate(isCheck);
      if (isCheck && changed.length > 0)
        throw new Error(`Outdated files: ${changed.join(", ")}. Run npm run generate.`);
      print(changed.length === 0 ? "up to date" : changed.join("\n"));
    },
  },
};

/** The program `tollgate` without the merchants' commands, run from the sources: `node server/src/main.ts serve`. */
await runCommandLine(
  process.argv.slice(2),
  [
    { title: "For operators of a gateway", commands: operatorCommands },
    { title: "For contributors", commands: contributorCommands },
  ],
  version,
);
