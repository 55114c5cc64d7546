import { operatorCommands } from "../../server/src/processes/operator-commands.ts";
import type { Command, Commands, CommandArguments } from "../../server/src/operators/framework/command.ts";

/**
 * The server's commands that take their settings only from the environment, because `dev` starts its own processes of
 * them.
 */
const processes = ["serve", "work", "signer"];

const folder = {
  value: "FOLDER",
  summary: "data folder of the running `tollgate dev`, if there are no settings (default .tollgate)",
} as const;

/** The server's commands for operators. Without settings they use the gateway that `tollgate dev` runs here. */
export const commandsForOperators: Commands = Object.fromEntries(
  Object.entries(operatorCommands).map(([name, command]) => [
    name,
    processes.includes(name) ? command : addDevOption(command),
  ]),
);

function addDevOption(command: Command): Command {
  return {
    ...command,
    options: { ...command.options, folder },
    async run(args) {
      await applyDevSettings(args);
      await command.run(args);
    },
  };
}

/**
 * Uses the settings of `dev`, but only if no setting of an operator is present, so that a command never mixes settings
 * of `dev` with an operator's settings.
 */
async function applyDevSettings(args: CommandArguments): Promise<void> {
  const settingNames = ["TOLLGATE_ENVIRONMENT", "TOLLGATE_OWNER_DATABASE_URL", "TOLLGATE_DATABASE_URL"];
  if (args.has("environment") || settingNames.some((name) => process.env[name])) return;
  const { ownerSettings } = await import("./dev/owner-settings.ts");
  Object.assign(process.env, await ownerSettings(args.value("folder") ?? ".tollgate"));
}
