import type { Commands } from "../../server/src/operators/framework/command.ts";
import { conformCommands } from "./conform/conform-table.ts";
import { notificationCommands } from "./merchant/notification-table.ts";
import { paymentCommands } from "./merchant/payment-table.ts";
import { sandboxCommands } from "./merchant/sandbox-table.ts";
import { signingCommands } from "./merchant/signing-table.ts";
import { universeCommands } from "./merchant/universe-table.ts";

/**
 * All commands of `tollgate`, in the order of the help. Each command's module is loaded when the command runs, so that
 * `--help` starts fast.
 */
export const commands: Commands = {
  dev: {
    summary: "start a complete gateway: database, gateway, worker and simulated provider",
    description:
      "All parts are real and listen on this machine only. Address, client id, keys and payments are stored in .tollgate of\n" +
      "the current folder, and the next start uses them again. The settings of your program are written to .env.",
    options: {
      port: {
        value: "N",
        summary: "port of the gateway (default 8484 at the first start, or the next free port)",
      },
      "https-port": { value: "N", summary: "also serve HTTPS on this port, with a generated certificate" },
      folder: { value: "FOLDER", summary: "where all data is stored (default .tollgate)" },
      ephemeral: { summary: "store nothing: use free ports and new keys, and delete all data at the end" },
      seed: { summary: "create one payment in each state: open, paid, refunded, held, disputed, and so on" },
      lan: {
        summary: "accept connections from phones in the same network (default: only from this machine)",
      },
      reset: { summary: "delete the stored data and start again" },
      postgres: { value: "WHICH", summary: "folder of PostgreSQL's programs, or: embedded" },
      "until-stdin-closes": {
        summary: "stop when standard input closes, for programs that start this command",
      },
      json: { summary: "print one line of JSON when ready, and nothing else" },
    },
    examples: ["tollgate dev", "tollgate dev --port 9000", "tollgate dev --ephemeral --json"],
    run: async (args) => (await import("./dev/dev.ts")).dev(args),
  },
  init: {
    positionals: ["LANGUAGE"],
    summary: "write a one-file shop that pays, receives webhooks and refunds",
    description:
      "Writes the file and the client library into the current folder, and never overwrites a file. LANGUAGE is node,\n" +
      "java, php, python or go. The file reads the settings that `tollgate dev` writes in the same folder. The last\n" +
      "lines of the output say how to run the shop.",
    options: {},
    examples: ["tollgate init node", "tollgate init go"],
    run: async (args) => (await import("./init/init.ts")).init(args),
  },
  ...paymentCommands,
  ...notificationCommands,
  ...sandboxCommands,
  ...universeCommands,
  ...signingCommands,
  ...conformCommands,
  completion: {
    positionals: ["SHELL"],
    summary: "print the completion script for bash, zsh or fish",
    description:
      "bash:  echo 'source <(tollgate completion bash)' >> ~/.bashrc\n" +
      "zsh:   echo 'source <(tollgate completion zsh)' >> ~/.zshrc, after compinit\n" +
      "fish:  tollgate completion fish > ~/.config/fish/completions/tollgate.fish",
    options: {},
    examples: ["tollgate completion bash", "tollgate completion zsh", "tollgate completion fish"],
    completionValues: async () => ["bash", "zsh", "fish"],
    run: async ({ positionals: [shell = ""] }) => {
      const { completion } = await import("./completion.ts");
      const { commandsForOperators } = await import("./operators.ts");
      process.stdout.write(await completion(shell, { ...commands, ...commandsForOperators }));
    },
  },
};
