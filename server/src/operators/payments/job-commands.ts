import type { Commands } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings } from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const jobs = (): Promise<typeof import("./job.ts")> => import("./job.ts");
const limitUsual = 100;

/** Commands for the job queue. */
export const jobCommands: Commands = {
  "job list": {
    needs: "support",
    does: "List planned jobs with record and due time, earliest first",
    about: ownersSettings,
    options: {
      "client-id": { value: "CLIENT_ID", does: "Only jobs of this merchant" },
      connector: { value: "NAME", does: "Only jobs that need this connector" },
      job: { value: "JOB", does: "Only this kind, such as send-refund" },
      overdue: { does: "Only jobs that have been due for at least a minute" },
      limit: { value: "N", does: `Maximum number of rows (default ${limitUsual})` },
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
    acts: { english: "Ran a job at once", chinese: "立即执行" },
    takes: ["ID"],
    does: "Run the planned jobs of a record now",
    about:
      "ID is the id of a payment, refund, capture, dispute or webhook. This is always safe: the same job runs " +
      "earlier, sends the same reference and goes by the provider's response. A job that is already running is " +
      "skipped.\n" +
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
    acts: { english: "Held a job", chinese: "暂缓计划中的操作" },
    takes: ["ID"],
    does: "Hold the jobs of a record until they are released",
    about:
      "ID is the id of a payment, refund, capture or dispute. While its jobs are on hold, nothing is sent to " +
      "the provider and nothing expires. Callbacks of the provider still count, and a cancel by the merchant " +
      "releases the hold.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate job hold 20261115093000123047601530017744120 --reason 'gcash looks into it'"],
    run: async (given) => {
      const { holdJobs, heldText } = await jobs();
      const held = await holdJobs(operatorOf(given), given.words[0] ?? "");
      show(given, held, heldText(held, "held; release it with `tollgate job release`."));
    },
  },
  "job release": {
    needs: "operator",
    acts: { english: "Released a job", chinese: "释放暂缓的操作" },
    takes: ["ID"],
    does: "Release held jobs and run them now",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate job release 20261115093000123047601530017744120 --reason 'gcash has answered'"],
    run: async (given) => {
      const { releaseJobs, heldText } = await jobs();
      const released = await releaseJobs(operatorOf(given), given.words[0] ?? "");
      show(given, released, heldText(released, "due now; a worker leases it within a second."));
    },
  },
};
