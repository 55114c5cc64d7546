import type { Commands } from "../../../server/src/commands/command.ts";
import { calling, whichGateway } from "./calling.ts";

/** Commands about what the merchant is told, and what it asked. */
export const notificationCommands: Commands = {
  listen: {
    does: "show what the merchant is told, as it happens, and pass it on",
    about:
      `${whichGateway}\n` +
      "With --forward-to each event is posted to that address as the gateway would post it: the same bytes, signed by the\n" +
      "gateway for that address, so that what verifies notifications there verifies these. It needs no open port, and changes\n" +
      "nothing at the gateway; what is set there is delivered as well. An event that was not acknowledged is not repeated;\n" +
      "--from sends it again. Faults that were ordered do not strike what is passed on.",
    options: {
      "forward-to": { value: "URL", does: "post each event there, and show how it was answered" },
      from: { value: "CURSOR", does: "begin behind this event, instead of now; 0 is the first of all" },
      ...calling,
      json: { does: "each event as one line of JSON" },
    },
    examples: [
      "tollgate listen",
      "tollgate listen --forward-to http://127.0.0.1:3000/notify",
      "tollgate listen --from 0 --json",
    ],
    run: async (given) => (await import("./listen.ts")).listen(given),
  },
  resend: {
    takes: ["[ID]"],
    does: "send notifications again, and show how each was answered",
    about:
      `${whichGateway}\n` +
      "The id is that of a notification, or of the payment, refund, capture or dispute that it speaks of. The exit code is 1\n" +
      "unless all were acknowledged.",
    options: {
      since: { value: "TIME", does: "those of this time, such as 1h, that were never acknowledged" },
      from: { value: "CURSOR", does: "all behind this event of the feed" },
      ...calling,
      json: { does: "each notification as one line of JSON" },
    },
    examples: ["tollgate resend 20261115093000123047601530017744120", "tollgate resend --since 2h"],
    run: async (given) => (await import("./resend.ts")).resend(given),
  },
  logs: {
    does: "show your calls as they happen, and how each was answered",
    about:
      `${whichGateway}\n` +
      "A call appears about a second after its answer, refused ones as well. One whose signature did not hold is not remembered,\n" +
      "because anybody can send those: its answer says why, and the terminal of `tollgate dev` shows it.",
    options: {
      since: { value: "TIME", does: "begin so long ago, such as 1h, instead of now" },
      code: { value: "CODE", does: "only calls that were answered with this result code" },
      "no-follow": { does: "show what there is, and end" },
      all: { does: "also what `listen` and `logs` ask by themselves" },
      ...calling,
      json: { does: "each call as one line of JSON" },
    },
    examples: ["tollgate logs", "tollgate logs --since 1h --code PARAM_ILLEGAL --no-follow"],
    run: async (given) => (await import("./logs.ts")).logs(given),
  },
};
