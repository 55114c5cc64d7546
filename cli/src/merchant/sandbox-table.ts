import type { Commands } from "../../../server/src/operators/framework/command.ts";
import { calling, whichGateway, whichProvider } from "./calling.ts";

/** Commands that cause events in the sandbox. */
export const sandboxCommands: Commands = {
  trigger: {
    takes: ["KIND"],
    does: "cause an event in the sandbox, with all necessary actions",
    about: `${whichGateway}\n${whichProvider}\nIt ends with the webhook to the merchant, and prints it.`,
    options: {
      list: { does: "list the events with their webhooks", replacesWords: true },
      ...calling,
      json: { does: "print the event as one line of JSON" },
    },
    examples: [
      "tollgate trigger --list",
      "tollgate trigger refund-succeeded",
      "tollgate trigger dispute-created",
    ],
    words: async () => Object.keys((await import("./triggers.ts")).triggers),
    run: async (given) => (await import("./trigger.ts")).trigger(given),
  },
  clock: {
    takes: ["[DURATION]"],
    does: "show your test clock, or advance it and show the due actions",
    about:
      `${whichGateway}\n` +
      "A duration is 30s, 15m, 2h, 1d12h or 3w, with or without a plus. The clock only goes forward, and stays ahead.",
    options: { at: { value: "TIME", does: "advance it to this time" }, ...calling },
    examples: ["tollgate clock", "tollgate clock +15m", "tollgate clock --at 2026-12-24T18:00:00Z"],
    run: async (given) => (await import("./clock.ts")).clock(given),
  },
  faults: {
    takes: ["[FAULT]"],
    does: "inject a fault into webhooks, or at the sandbox provider",
    about:
      `${whichGateway}\n${whichProvider}\n` +
      "Without a fault it shows the pending faults of the provider; `off` cancels all faults.",
    options: {
      list: { does: "list all faults and their effects" },
      payment: { value: "ID", does: "only for this payment; for webhooks, only for this subject" },
      count: { value: "N", does: "how often the fault occurs (default 1)" },
      delay: { value: "TIME", does: "length of the delay, such as 8s" },
      endpoint: { value: "URL", does: "for webhooks: only to this address" },
      verb: { value: "VERB", does: "for the provider: only in submit, capture, refund, …" },
      code: { value: "CODE", does: "for the fault refuse: the result code" },
      ...calling,
    },
    examples: [
      "tollgate faults --list",
      "tollgate faults DUPLICATE --count 3",
      "tollgate faults answer-lost --verb refund",
      "tollgate faults off",
    ],
    words: async () => {
      const { notificationFaults, providerFaults } = await import("./fault-kinds.ts");
      return ["off", ...Object.keys(notificationFaults), ...Object.keys(providerFaults)];
    },
    run: async (given) => (await import("./faults.ts")).faults(given),
  },
  scenarios: {
    takes: ["[CODE]"],
    does: "list how to force each result code; with CODE, force it and print the response",
    about: `${whichGateway}\n${whichProvider}`,
    options: { ...calling, json: { does: "print each code, or the response, as one line of JSON" } },
    examples: ["tollgate scenarios", "tollgate scenarios USER_BALANCE_NOT_ENOUGH"],
    words: async () => Object.keys((await import("./scenarios/scenarios.ts")).allScenarios),
    run: async (given) => (await import("./scenarios/scenarios.ts")).scenarios(given),
  },
  explain: {
    takes: ["CODE"],
    does: "explain a result code, and what to do about it",
    options: {
      list: { does: "list all codes, with their status and meaning", replacesWords: true },
      json: { does: "print the same as one line of JSON" },
    },
    examples: [
      "tollgate explain INVALID_SIGNATURE",
      "tollgate explain ORDER_NOT_EXIST --json",
      "tollgate explain --list",
    ],
    words: async () =>
      Object.keys((await import("../../../clients/typescript/src/generated/result-codes.ts")).resultCodes),
    run: async (given) => {
      const { explain, factsOf, listCodes } = await import("./explain.ts");
      if (given.has("list")) return void process.stdout.write(listCodes());
      const [code = ""] = given.words;
      process.stdout.write(given.has("json") ? `${JSON.stringify(factsOf(code))}\n` : explain(code));
    },
  },
};
