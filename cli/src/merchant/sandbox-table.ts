import type { Commands } from "../../../server/src/commands/command.ts";
import { calling, whichGateway, whichWallet } from "./calling.ts";

/** Commands that make things happen in the sandbox. */
export const sandboxCommands: Commands = {
  trigger: {
    takes: ["KIND"],
    does: "make an event really happen in the sandbox, by all who have a part in it",
    about: `${whichGateway}\n${whichWallet}\nIt ends when the merchant was told, and shows the notification.`,
    options: {
      list: { does: "all kinds, and what is told of each", replacesWords: true },
      ...calling,
      json: { does: "the event as one line of JSON" },
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
    does: "show your clock in the sandbox, or move it ahead and show what happened on the way",
    about:
      `${whichGateway}\n` +
      "A duration is 30s, 15m, 2h, 1d12h or 3w, with or without a plus. The clock goes forward only, and stays ahead.",
    options: { at: { value: "TIME", does: "move it to this time" }, ...calling },
    examples: ["tollgate clock", "tollgate clock +15m", "tollgate clock --at 2026-12-24T18:00:00Z"],
    run: async (given) => (await import("./clock.ts")).clock(given),
  },
  faults: {
    takes: ["[FAULT]"],
    does: "make something go wrong on purpose: with notifications, or at the wallet",
    about:
      `${whichGateway}\n${whichWallet}\n` +
      "Without a fault it shows what the wallet still has before it; `off` calls everything off.",
    options: {
      list: { does: "all faults, and what each does" },
      payment: { value: "ID", does: "only for this payment; of notifications, for whatever they speak of" },
      count: { value: "N", does: "so many times; once unless said otherwise" },
      delay: { value: "TIME", does: "how late, such as 8s" },
      endpoint: { value: "URL", does: "of notifications: only to this address" },
      verb: { value: "VERB", does: "of the wallet: only what it is asked by submit, capture, refund, …" },
      code: { value: "CODE", does: "of the fault refuse: the result code" },
      ...calling,
    },
    examples: [
      "tollgate faults --list",
      "tollgate faults DUPLICATE --count 3",
      "tollgate faults answer-lost --verb refund",
      "tollgate faults off",
    ],
    words: async () => {
      const { notificationFaults, walletFaults } = await import("./fault-kinds.ts");
      return ["off", ...Object.keys(notificationFaults), ...Object.keys(walletFaults)];
    },
    run: async (given) => (await import("./faults.ts")).faults(given),
  },
  scenarios: {
    takes: ["[CODE]"],
    does: "how every result code is forced in the sandbox; with a code, force it and show the answer",
    about: `${whichGateway}\n${whichWallet}`,
    options: { ...calling, json: { does: "each code, or the answer, as one line of JSON" } },
    examples: ["tollgate scenarios", "tollgate scenarios USER_BALANCE_NOT_ENOUGH"],
    words: async () => Object.keys((await import("./scenarios/scenarios.ts")).allScenarios),
    run: async (given) => (await import("./scenarios/scenarios.ts")).scenarios(given),
  },
  explain: {
    takes: ["CODE"],
    does: "what a result code means, and what to do about it",
    options: {
      list: { does: "list all codes, with their status and meaning", replacesWords: true },
      json: { does: "the same as one line of JSON" },
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
