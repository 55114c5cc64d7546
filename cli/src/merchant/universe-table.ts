import type { Commands } from "../../../server/src/commands/command.ts";
import { calling } from "./calling.ts";

const load = (): Promise<typeof import("./universe.ts")> => import("./universe.ts");

const whichSandbox =
  "It calls the sandbox that TOLLGATE_BASE_URL and TOLLGATE_CONTROL_SECRET name; without them, the one that\n" +
  "`tollgate dev` runs in this folder.";

/** Commands that open, close and list universes: merchants of the sandbox, each for one test run. */
export const universeCommands: Commands = {
  "universe new": {
    does: "a merchant of its own for a test run, with its own clock and data",
    about: `It makes a key pair and prints the settings of the client libraries, as a .env file has them. ${whichSandbox}`,
    options: {
      name: { value: "NAME", does: "as buyers see it" },
      "public-key": { value: "FILE", does: "of your own, instead of a key pair that is made" },
      minutes: { value: "N", does: "closes it by itself after so long" },
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
    does: "end a universe at once, for good",
    about: whichSandbox,
    options: calling,
    examples: ["tollgate universe close SANDBOX_U42_9F86D081884C"],
    run: async (given) => (await load()).closeUniverse(given),
  },
  "universe list": {
    does: "the universes that are open",
    about: whichSandbox,
    options: calling,
    examples: ["tollgate universe list"],
    run: async (given) => (await load()).listUniverses(given),
  },
};
