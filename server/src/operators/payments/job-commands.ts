import type { Commands } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownerSettingsHelp } from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const importPlannedJobs = (): Promise<typeof import("./planned-jobs.ts")> => import("./planned-jobs.ts");
const defaultLimit = 100;

/** Commands for the job queue. */
export const jobCommands: Commands = {
  "job list": {
    requiredRole: "support",
    summary: "List planned jobs with record and due time, earliest first",
    description: ownerSettingsHelp,
    options: {
      "client-id": { value: "CLIENT_ID", summary: "Only jobs of this merchant" },
      connector: { value: "NAME", summary: "Only jobs that need this connector" },
      job: { value: "JOB", summary: "Only this kind, such as send-refund" },
      overdue: { summary: "Only jobs that have been due for at least a minute" },
      limit: { value: "N", summary: `Maximum number of rows (default ${defaultLimit})` },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate job list --overdue", "tollgate job list --connector gcash --job send-refund --json"],
    run: async (args) => {
      const { findJobs, jobTable } = await importPlannedJobs();
      const limit = parseWholeNumber(args, "limit", [1, 100_000]) ?? defaultLimit;
      const filter = {
        clientId: args.value("client-id"),
        connector: args.value("connector"),
        job: args.value("job"),
        isOverdue: args.has("overdue"),
      };
      const jobs = await findJobs(operatorOf(args), filter, limit);
      printResult(args, jobs, jobTable(jobs, limit));
    },
  },
  "job retry": {
    requiredRole: "operator",
    auditLabel: { english: "Ran a job at once", chinese: "立即执行" },
    positionals: ["ID"],
    summary: "Run the planned jobs of a record now",
    description:
      "ID is the id of a payment, refund, capture, dispute or webhook. This is always safe: the same job runs " +
      "earlier, sends the same reference and goes by the provider's response. A job that is already running is " +
      "skipped.\n" +
      ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate job retry 20261115093000123047601530017744120 --reason 'gcash is back'"],
    run: async (args) => {
      const { retryJobs, retryText } = await importPlannedJobs();
      const [id = ""] = args.positionals;
      const retriedJobs = await retryJobs(operatorOf(args), id);
      printResult(args, retriedJobs, retryText(retriedJobs));
    },
  },
  "job hold": {
    requiredRole: "operator",
    auditLabel: { english: "Held a job", chinese: "暂缓计划中的操作" },
    positionals: ["ID"],
    summary: "Hold the jobs of a record until they are released",
    description:
      "ID is the id of a payment, refund, capture or dispute. While its jobs are on hold, nothing is sent to " +
      "the provider and nothing expires. Callbacks of the provider still count, and a cancel by the merchant " +
      "releases the hold.\n" +
      ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate job hold 20261115093000123047601530017744120 --reason 'gcash looks into it'"],
    run: async (args) => {
      const { holdJobs, jobHoldText } = await importPlannedJobs();
      const heldJobs = await holdJobs(operatorOf(args), args.positionals[0] ?? "");
      printResult(args, heldJobs, jobHoldText(heldJobs, "held; release it with `tollgate job release`."));
    },
  },
  "job release": {
    requiredRole: "operator",
    auditLabel: { english: "Released a job", chinese: "释放暂缓的操作" },
    positionals: ["ID"],
    summary: "Release held jobs and run them now",
    description: ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate job release 20261115093000123047601530017744120 --reason 'gcash has answered'"],
    run: async (args) => {
      const { releaseJobs, jobHoldText } = await importPlannedJobs();
      const releasedJobs = await releaseJobs(operatorOf(args), args.positionals[0] ?? "");
      printResult(
        args,
        releasedJobs,
        jobHoldText(releasedJobs, "due now; a worker leases it within a second."),
      );
    },
  },
};
