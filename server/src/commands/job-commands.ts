import type { Commands } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings } from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

const jobs = (): Promise<typeof import("./job.ts")> => import("./job.ts");
const limitUsual = 100;

/** Commands about what is planned: the queue of jobs. */
export const jobCommands: Commands = {
  "job list": {
    needs: "support",
    does: "what is planned, for which record, and when; what is due first comes first",
    about: ownersSettings,
    options: {
      "client-id": { value: "CLIENT_ID", does: "only this merchant's" },
      connector: { value: "NAME", does: "only those that need this wallet" },
      job: { value: "JOB", does: "only this kind, such as send-refund" },
      overdue: { does: "only those that should have been done a minute ago" },
      limit: { value: "N", does: `at most so many; ${limitUsual} unless said otherwise` },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate job list --overdue", "tollgate job list --connector gcash --job send-refund --json"],
    run: async (given) => {
      const { findJobs, jobTable } = await jobs();
      const limit = wholeNumber(given, "limit", [1, 100_000]) ?? limitUsual;
      const filter = {
        clientId: given.value("client-id"),
        connector: given.value("connector"),
        job: given.value("job"),
        isOverdue: given.has("overdue"),
      };
      const found = await findJobs(operatorOf(given), filter, limit);
      show(given, found, jobTable(found, limit));
    },
  },
  "job retry": {
    needs: "operator",
    acts: true,
    takes: ["ID"],
    does: "do what is planned for a record now, and not only when it is due",
    about:
      "The id is that of a payment, refund, capture, dispute or notification. It is safe at any time: the same job runs as it would\n" +
      "later, sends under the same reference, and decides by what the wallet says. What a process is at already is left to it.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate job retry 20261115093000123047601530017744120 --reason 'gcash is back'"],
    run: async (given) => {
      const { retryJobs, retriedText } = await jobs();
      const [id = ""] = given.words;
      const retried = await retryJobs(operatorOf(given), id);
      show(given, retried, retriedText(retried));
    },
  },
  "job hold": {
    needs: "operator",
    acts: true,
    takes: ["ID"],
    does: "do nothing about a record until it is released",
    about:
      "The id is that of a payment, refund, capture or dispute. Nothing is sent to the wallet and nothing expires, while somebody looks\n" +
      "into it. What the wallet says by itself still counts, and a merchant that cancels sets it going again.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate job hold 20261115093000123047601530017744120 --reason 'gcash looks into it'"],
    run: async (given) => {
      const { holdJobs, heldText } = await jobs();
      const held = await holdJobs(operatorOf(given), given.words[0] ?? "");
      show(given, held, heldText(held, "held; `tollgate job release` sets it going again."));
    },
  },
  "job release": {
    needs: "operator",
    acts: true,
    takes: ["ID"],
    does: "do what was held, now",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate job release 20261115093000123047601530017744120 --reason 'gcash has answered'"],
    run: async (given) => {
      const { releaseJobs, heldText } = await jobs();
      const released = await releaseJobs(operatorOf(given), given.words[0] ?? "");
      show(given, released, heldText(released, "due now; a worker takes it within a second."));
    },
  },
};
