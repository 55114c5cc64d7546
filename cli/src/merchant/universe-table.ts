import type { Commands } from "../../../server/src/operators/framework/command.ts";
import { calling } from "./calling.ts";

const load = (): Promise<typeof import("./universe.ts")> => import("./universe.ts");

const whichSandbox =
  "Calls the sandbox that TOLLGATE_BASE_URL and TOLLGATE_CONTROL_SECRET specify (default: the sandbox that\n" +
  "`tollgate dev` runs in this folder).";

/** Commands that create, close and list isolated test merchants (universes), each for one test run. */
export const universeCommands: Commands = {
  "universe new": {
    does: "create an isolated test merchant with its own clock and data",
    about: `Creates a key pair and prints the settings of the client libraries in the form of a .env file. ${whichSandbox}`,
    options: {
      name: { value: "NAME", does: "name that buyers see" },
      "public-key": { value: "FILE", does: "your own public key, instead of a new key pair" },
      minutes: { value: "N", does: "close it automatically after this time" },
      ...calling,
    },
    examples: [
      "tollgate universe new --name Coffee",
      "tollgate universe new --public-key merchant-public.pem --minutes 10 --json",
    ],
    run: async (given) => (await load()).openUniverse(given),
  },
  "universe close": {
    takes: ["CLIENT_ID"],
    does: "close an isolated test merchant permanently",
    about: whichSandbox,
    options: calling,
    examples: ["tollgate universe close SANDBOX_U42_9F86D081884C"],
    run: async (given) => (await load()).closeUniverse(given),
  },
  "universe list": {
    does: "list open isolated test merchants",
    about: whichSandbox,
    options: calling,
    examples: ["tollgate universe list"],
    run: async (given) => (await load()).listUniverses(given),
  },
};
