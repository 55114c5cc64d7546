import type { Commands } from "../../../server/src/operators/framework/command.ts";
import { commonOptions, gatewayHelp } from "./common-options.ts";

/** Commands about the merchant's webhooks and API requests. */
export const notificationCommands: Commands = {
  listen: {
    summary: "show webhooks as they happen, and forward them",
    description:
      `${gatewayHelp}\n` +
      "With --forward-to each event is posted to that address like a webhook of the gateway: the same bytes, signed by the\n" +
      "gateway for that address, so that the receiver can verify it. It needs no open port, and does not change the settings\n" +
      "of the gateway; the configured webhooks are delivered as well. An event that was not acknowledged is not repeated;\n" +
      "--from sends it again. Injected faults do not affect forwarded events.",
    options: {
      "forward-to": { value: "URL", summary: "post each event to this address, and show the response" },
      from: {
        value: "CURSOR",
        summary: "begin after this event (default: now); 0 begins with the first event",
      },
      ...commonOptions,
      json: { summary: "print each event as one line of JSON" },
    },
    examples: [
      "tollgate listen",
      "tollgate listen --forward-to http://127.0.0.1:3000/notify",
      "tollgate listen --from 0 --json",
    ],
    run: async (args) => (await import("./listen.ts")).listen(args),
  },
  resend: {
    positionals: ["[ID]"],
    summary: "send webhooks again, and show each response",
    description:
      `${gatewayHelp}\n` +
      "The id is that of a webhook, or of its payment, refund, capture or dispute. The exit code is 1\n" +
      "unless all were acknowledged.",
    options: {
      since: { value: "TIME", summary: "webhooks since this time, such as 1h, that were never acknowledged" },
      from: { value: "CURSOR", summary: "all events after this one of the feed" },
      ...commonOptions,
      json: { summary: "print each webhook as one line of JSON" },
    },
    examples: ["tollgate resend 20261115093000123047601530017744120", "tollgate resend --since 2h"],
    run: async (args) => (await import("./resend.ts")).resend(args),
  },
  logs: {
    summary: "show your API requests as they happen, with their results",
    description:
      `${gatewayHelp}\n` +
      "A request appears about a second after its response, also if it was rejected. A request with an invalid signature is not\n" +
      "stored, because any client can send those: its response contains the reason, and `tollgate dev` prints it.",
    options: {
      since: { value: "TIME", summary: "begin this long ago, such as 1h (default: now)" },
      code: { value: "CODE", summary: "only requests with this result code" },
      "no-follow": { summary: "show the existing entries, and stop" },
      all: { summary: "also show the requests that `listen` and `logs` send" },
      ...commonOptions,
      json: { summary: "print each request as one line of JSON" },
    },
    examples: ["tollgate logs", "tollgate logs --since 1h --code PARAM_ILLEGAL --no-follow"],
    run: async (args) => (await import("./logs.ts")).logs(args),
  },
};
