import type { Commands } from "../../../server/src/operators/framework/command.ts";
import { commonOptions } from "./common-options.ts";

const load = (): Promise<typeof import("./universe.ts")> => import("./universe.ts");

const sandboxHelp =
  "Calls the sandbox that TOLLGATE_BASE_URL and TOLLGATE_CONTROL_SECRET specify (default: the sandbox that\n" +
  "`tollgate dev` runs in this folder).";

/** Commands that create, close and list isolated test merchants (universes), each for one test run. */
export const universeCommands: Commands = {
  "universe new": {
    summary: "create an isolated test merchant with its own clock and data",
    description: `Creates a key pair and prints the settings of the client libraries in the form of a .env file. ${sandboxHelp}`,
    options: {
      name: { value: "NAME", summary: "name that buyers see" },
      "public-key": { value: "FILE", summary: "your own public key, instead of a new key pair" },
      minutes: { value: "N", summary: "close it automatically after this time" },
      ...commonOptions,
    },
    examples: [
      "tollgate universe new --name Coffee",
      "tollgate universe new --public-key merchant-public.pem --minutes 10 --json",
    ],
    run: async (args) => (await load()).openUniverse(args),
  },
  "universe close": {
    positionals: ["CLIENT_ID"],
    summary: "close an isolated test merchant permanently",
    description: sandboxHelp,
    options: commonOptions,
    examples: ["tollgate universe close SANDBOX_U42_9F86D081884C"],
    run: async (args) => (await load()).closeUniverse(args),
  },
  "universe list": {
    summary: "list open isolated test merchants",
    description: sandboxHelp,
    options: commonOptions,
    examples: ["tollgate universe list"],
    run: async (args) => (await load()).listUniverses(args),
  },
};
