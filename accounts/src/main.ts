import { runCommandLine } from "../../server/src/operators/framework/run-command-line.ts";
import { version } from "../../server/src/core/version.ts";
import { commands } from "./commands.ts";

await runCommandLine(process.argv.slice(2), [{ title: "Accounts of a gateway", commands }], version);
