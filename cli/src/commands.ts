import type { Commands } from "../../server/src/commands/command.ts";
import { conformCommands } from "./conform/conform-table.ts";
import { notificationCommands } from "./merchant/notification-table.ts";
import { paymentCommands } from "./merchant/payment-table.ts";
import { sandboxCommands } from "./merchant/sandbox-table.ts";
import { signingCommands } from "./merchant/signing-table.ts";
import { universeCommands } from "./merchant/universe-table.ts";

/**
 * All commands of `tollgate`. Each is loaded when it is run, so that `--help` does not pay for the others. The order is
 * that of the help.
 */
export const commands: Commands = {
  dev: {
    does: "a whole gateway on this machine: database, gateway, worker and a wallet to pay with",
    about:
      "Everything is real, and bound to this machine. Address, client id, keys and payments are kept in .tollgate of the\n" +
      "current folder: the next start finds them as they were. The settings of your program are written to .env.",
    options: {
      port: { value: "N", does: "where the gateway listens; the first time 8484, or the next that is free" },
      "https-port": { value: "N", does: "serve https as well, with a certificate made for it" },
      folder: { value: "FOLDER", does: "where everything is kept, instead of .tollgate" },
      ephemeral: { does: "keep nothing: free ports, new keys, and all of it gone at the end" },
      seed: { does: "begin with a payment in each state: open, paid, refunded, held, disputed and so on" },
      lan: { does: "let phones in the same network reach it; otherwise nobody but this machine does" },
      reset: { does: "forget what was kept, and start anew" },
      postgres: { value: "WHICH", does: "the folder of PostgreSQL's programs, or: embedded" },
      "until-stdin-closes": { does: "leave when standard input ends: for programs that start it" },
      json: { does: "one line of JSON on standard output when it is ready, and nothing else" },
    },
    examples: ["tollgate dev", "tollgate dev --port 9000", "tollgate dev --ephemeral --json"],
    run: async (given) => (await import("./dev/dev.ts")).dev(given),
  },
  init: {
    takes: ["LANGUAGE"],
    does: "write a shop in one file that pays, is told and refunds: node, java, php, python or go",
    about:
      "It writes into the current folder, beside the file the client library, and over nothing that is there. The file\n" +
      "reads the settings that `tollgate dev` writes in the same folder. The last lines say how to run it.",
    options: {},
    examples: ["tollgate init node", "tollgate init go"],
    run: async (given) => (await import("./init/init.ts")).init(given),
  },
  ...paymentCommands,
  ...notificationCommands,
  ...sandboxCommands,
  ...universeCommands,
  ...signingCommands,
  ...conformCommands,
  completion: {
    takes: ["SHELL"],
    does: "the script that completes commands and options in bash, zsh or fish",
    about:
      "bash:  echo 'source <(tollgate completion bash)' >> ~/.bashrc\n" +
      "zsh:   echo 'source <(tollgate completion zsh)' >> ~/.zshrc, behind compinit\n" +
      "fish:  tollgate completion fish > ~/.config/fish/completions/tollgate.fish",
    options: {},
    examples: ["tollgate completion bash", "tollgate completion zsh", "tollgate completion fish"],
    words: async () => ["bash", "zsh", "fish"],
    run: async ({ words: [shell = ""] }) => {
      const { completion } = await import("./completion.ts");
      const { commandsForOperators } = await import("./operators.ts");
      process.stdout.write(await completion(shell, { ...commands, ...commandsForOperators }));
    },
  },
};
