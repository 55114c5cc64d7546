import type { Commands } from "../../../server/src/commands/command.ts";
import { calling } from "./calling.ts";

/** The command that opens and closes universes. */
export const universeCommands: Commands = {
  universe: {
    takes: ["new|close|list", "[CLIENT_ID]"],
    does: "a merchant of its own for a test run, with its own clock and data",
    about:
      "new makes a key pair and prints the settings of the client libraries, or .env; close ends it at once, for good.\n" +
      "It calls the sandbox that TOLLGATE_BASE_URL and TOLLGATE_CONTROL_SECRET name; without them, the one that\n" +
      "`tollgate dev` runs in this folder.",
    options: {
      name: { value: "NAME", does: "of a new one, as buyers see it" },
      "public-key": { value: "FILE", does: "of a new one, instead of a key pair that is made" },
      minutes: { value: "N", does: "closes a new one by itself after so long" },
      ...calling,
    },
    examples: [
      'tollgate universe new --name "Coffee Lab"',
      "tollgate universe new --public-key merchant-public.pem --minutes 10 --json",
      "tollgate universe close SANDBOX_U42_9F86D081884C",
      "tollgate universe list",
    ],
    run: async (given) => (await import("./universe.ts")).universe(given),
  },
};
