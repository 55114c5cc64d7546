import { operatorCommands } from "../../server/src/commands/operator-commands.ts";
import type { Command, Commands, Given } from "../../server/src/commands/command.ts";

/** These are told where they work by settings alone: `dev` starts processes of its own. */
const processes = ["serve", "work", "signer"];

const folder = {
  value: "FOLDER",
  does: "the folder of a running `tollgate dev`, if it is not .tollgate; for when there are no settings",
} as const;

/** The server's commands for operators. Without settings they work on the gateway that `tollgate dev` runs here. */
export const commandsForOperators: Commands = Object.fromEntries(
  Object.entries(operatorCommands).map(([name, command]) => [
    name,
    processes.includes(name) ? command : withDev(command),
  ]),
);

function withDev(command: Command): Command {
  return {
    ...command,
    options: { ...command.options, folder },
    async run(given) {
      await useDev(given);
      await command.run(given);
    },
  };
}

/** Takes over the settings of `dev`, unless any of an operator's own is there: nobody wants a mixture. */
async function useDev(given: Given): Promise<void> {
  const own = ["TOLLGATE_ENVIRONMENT", "TOLLGATE_OWNER_DATABASE_URL", "TOLLGATE_DATABASE_URL"];
  if (given.has("environment") || own.some((name) => process.env[name])) return;
  const { ownerSettings } = await import("./dev/owner-settings.ts");
  Object.assign(process.env, await ownerSettings(given.value("folder") ?? ".tollgate"));
}
