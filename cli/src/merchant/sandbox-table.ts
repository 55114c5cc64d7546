import type { Commands } from "../../../server/src/operators/framework/command.ts";
import { commonOptions, gatewayHelp, providerHelp } from "./common-options.ts";

/** Commands that cause events in the sandbox. */
export const sandboxCommands: Commands = {
  trigger: {
    positionals: ["KIND"],
    summary: "cause an event in the sandbox, with all necessary actions",
    description: `${gatewayHelp}\n${providerHelp}\nIt ends with the webhook to the merchant, and prints it.`,
    options: {
      list: { summary: "list the events with their webhooks", replacesPositionals: true },
      ...commonOptions,
      json: { summary: "print the event as one line of JSON" },
    },
    examples: [
      "tollgate trigger --list",
      "tollgate trigger refund-succeeded",
      "tollgate trigger dispute-created",
    ],
    completionValues: async () => Object.keys((await import("./triggers.ts")).triggers),
    run: async (args) => (await import("./trigger.ts")).trigger(args),
  },
  clock: {
    positionals: ["[DURATION]"],
    summary: "show your test clock, or advance it and show the due actions",
    description:
      `${gatewayHelp}\n` +
      "A duration is 30s, 15m, 2h, 1d12h or 3w, with or without a plus. The clock only goes forward, and stays ahead.",
    options: { at: { value: "TIME", summary: "advance it to this time" }, ...commonOptions },
    examples: ["tollgate clock", "tollgate clock +15m", "tollgate clock --at 2026-12-24T18:00:00Z"],
    run: async (args) => (await import("./clock.ts")).clock(args),
  },
  faults: {
    positionals: ["[FAULT]"],
    summary: "inject a fault into webhooks, or at the sandbox provider",
    description:
      `${gatewayHelp}\n${providerHelp}\n` +
      "Without a fault it shows the pending faults of the provider; `off` cancels all faults.",
    options: {
      list: { summary: "list all faults and their effects" },
      payment: { value: "ID", summary: "only for this payment; for webhooks, only for this subject" },
      count: { value: "N", summary: "how often the fault occurs (default 1)" },
      delay: { value: "TIME", summary: "length of the delay, such as 8s" },
      endpoint: { value: "URL", summary: "for webhooks: only to this address" },
      verb: { value: "VERB", summary: "for the provider: only in submit, capture, refund, …" },
      code: { value: "CODE", summary: "result code of refuse, or of a pending operation that fails" },
      ...commonOptions,
    },
    examples: [
      "tollgate faults --list",
      "tollgate faults DUPLICATE --count 3",
      "tollgate faults answer-lost --verb refund",
      "tollgate faults off",
    ],
    completionValues: async () => {
      const { notificationFaults, providerFaults } = await import("./fault-kinds.ts");
      return ["off", ...Object.keys(notificationFaults), ...Object.keys(providerFaults)];
    },
    run: async (args) => (await import("./faults.ts")).faults(args),
  },
  scenarios: {
    positionals: ["[CODE]"],
    summary: "list how to force each result code; with CODE, force it and print the response",
    description: `${gatewayHelp}\n${providerHelp}`,
    options: { ...commonOptions, json: { summary: "print each code, or the response, as one line of JSON" } },
    examples: ["tollgate scenarios", "tollgate scenarios USER_BALANCE_NOT_ENOUGH"],
    completionValues: async () => Object.keys((await import("./scenarios/scenarios.ts")).allScenarios),
    run: async (args) => (await import("./scenarios/scenarios.ts")).scenarios(args),
  },
  explain: {
    positionals: ["CODE"],
    summary: "explain a result code, and what to do about it",
    options: {
      list: { summary: "list all codes, with their status and meaning", replacesPositionals: true },
      json: { summary: "print the same as one line of JSON" },
    },
    examples: [
      "tollgate explain INVALID_SIGNATURE",
      "tollgate explain ORDER_NOT_EXIST --json",
      "tollgate explain --list",
    ],
    completionValues: async () =>
      Object.keys((await import("../../../clients/typescript/src/generated/result-codes.ts")).resultCodes),
    run: async (args) => {
      const { explain, findCode, listCodes } = await import("./explain.ts");
      if (args.has("list")) return void process.stdout.write(listCodes());
      const [code = ""] = args.positionals;
      process.stdout.write(args.has("json") ? `${JSON.stringify(findCode(code))}\n` : explain(code));
    },
  },
};
