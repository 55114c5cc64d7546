import { notificationLifecycle, type NotificationStatus } from "../../notifications/notification.ts";
import { notificationKinds } from "../../notifications/notification-kinds.ts";
import type { DeliverySelection } from "../../notifications/delivery.ts";
import type { Commands, CommandArguments, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  jsonOption,
  omitUndefined,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  subjectOf,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const examplePaymentId = "20261115093000123047601530017744120";
const exampleClientId = "SANDBOX_7H2KQ9XW3M5T8RBC";
const statuses = Object.keys(notificationLifecycle) as NotificationStatus[];

const notificationFilterOptions = {
  "client-id": { value: "CLIENT_ID", summary: "Same as the CLIENT_ID argument" },
  id: { value: "ID", summary: "Only this webhook" },
  subject: { value: "ID", summary: "Only webhooks about this payment, capture, refund or dispute" },
  kind: { value: "KIND", summary: "Only this kind, such as notifyPayment", oneOf: notificationKinds },
  status: { value: "STATUS", summary: `Only ${statuses.join(", ")}`, oneOf: statuses },
  from: { value: "TIME", summary: "Only webhooks created at or after this time, in ISO 8601 with a zone" },
  until: { value: "TIME", summary: "Only webhooks created before this time" },
  limit: { value: "N", summary: "Maximum number of rows, oldest first (default 100)" },
  ...operatorOptions,
  ...jsonOption,
} as const satisfies Options;

/** Commands to diagnose payments and to send webhooks again. */
export const triageCommands: Commands = {
  stuck: {
    requiredRole: "support",
    summary: "List open records: the party that must act, and the next poll",
    description:
      "Exits with code 1 if a record is stuck: its job is long overdue, or it has no job. The list is read " +
      "from the job queue, so it is fast with any number of payments. --whole reads all tables to find records " +
      "without a job, which would be a bug; run it in a quiet hour.\n" +
      ownerSettingsHelp,
    options: {
      whole: { summary: "Read all tables, to find records without a job as well" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate stuck", "tollgate stuck --whole --json"],
    run: async (args) => {
      const { findStuckRecords } = await import("./stuck-records.ts");
      const { url, environment } = operatorOf(args);
      const { records, stuckCount, table } = await findStuckRecords(url, environment, args.has("whole"));
      printResult(args, { records, stuckCount }, table);
      if (stuckCount > 0) process.exitCode = 1;
    },
  },
  "payment show": {
    requiredRole: "support",
    positionals: ["ID"],
    summary: "Print a payment's timeline: provider, ledger, webhooks and jobs",
    description:
      "ID can be the id of a payment, refund, capture, dispute or webhook, the merchant's request id (add " +
      "--client-id if several merchants use it), or the provider's reference, which reads all payments. " +
      `Secrets and texts of the merchant about its buyer are not shown. ${ownerSettingsHelp}`,
    options: {
      "client-id": { value: "CLIENT_ID", summary: "Client id of the merchant with this request id" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      `tollgate payment show ${examplePaymentId}`,
      "tollgate payment show order-4711",
      `tollgate payment show order-4711 --client-id ${exampleClientId} --json`,
    ],
    run: async (args) => {
      const { findPaymentHistory, historyText } = await import("./payment-history.ts");
      const [id = ""] = args.positionals;
      const history = await findPaymentHistory(operatorOf(args), id, args.value("client-id"));
      printResult(args, history, historyText(history));
    },
  },
  "notification list": {
    requiredRole: "support",
    positionals: ["[CLIENT_ID]"],
    summary: "List webhooks of a merchant, with undelivered ones",
    description: ownerSettingsHelp,
    options: notificationFilterOptions,
    examples: [
      `tollgate notification list ${exampleClientId} --status EXHAUSTED`,
      `tollgate notification list ${exampleClientId} --subject ${examplePaymentId} --json`,
    ],
    run: async (args) => {
      const { listNotifications, notificationTable } = await import("./resend-notifications.ts");
      const selection = await readSelection(args, statuses);
      const found = await listNotifications(operatorOf(args), subjectOf(args, "client-id"), selection);
      printResult(args, found, notificationTable(found, selection.limit));
    },
  },
  "notification resend": {
    requiredRole: "operator",
    auditLabel: { english: "Sent a webhook again", chinese: "重发通知" },
    positionals: ["[CLIENT_ID]"],
    summary: "Send webhooks again: by id, by record or by time",
    description:
      "Sends the same body with a new signature. By time, the default is webhooks that were never " +
      "acknowledged; by id or record, all statuses. Merchants can do the same with " +
      `tollgate/resendNotifications. ${ownerSettingsHelp}`,
    options: notificationFilterOptions,
    examples: [
      `tollgate notification resend ${exampleClientId} --subject ${examplePaymentId}`,
      `tollgate notification resend ${exampleClientId} --from 2026-11-15T00:00:00Z --until 2026-11-15T12:00:00Z`,
    ],
    run: async (args) => {
      const { resendNotifications } = await import("./resend-notifications.ts");
      const isNamed = args.has("id") || args.has("subject");
      if (!isNamed && !args.has("from"))
        throw new UsageError("Select webhooks with --id, --subject or --from.");
      const selection = await readSelection(args, isNamed ? statuses : ["EXHAUSTED", "UNSENT", "WAITING"]);
      const sent = await resendNotifications(operatorOf(args), subjectOf(args, "client-id"), selection);
      const hint = sent.length === selection.limit ? " There may be more. Raise --limit, or use --from." : "";
      const ids = sent.map(({ notificationId }) => notificationId);
      printResult(args, { notificationIds: ids }, `${sent.length} webhooks are sent again.${hint}`);
    },
  },
};

/** The selection of webhooks, as in the merchants' API, with shorter option names. */
async function readSelection(
  args: CommandArguments,
  defaultStatuses: readonly NotificationStatus[],
): Promise<DeliverySelection> {
  const [{ toSelection }, { isRefusal }] = await Promise.all([
    import("../../notifications/delivery-filter.schema.ts"),
    import("../../core/result.ts"),
  ]);
  const selection = toSelection(
    omitUndefined({
      notificationId: args.value("id"),
      subjectId: args.value("subject"),
      notificationKind: args.value("kind"),
      notificationStatus: args.value("status"),
      createdFrom: args.value("from"),
      createdUntil: args.value("until"),
      limit: parseWholeNumber(args, "limit", [1, 10_000]),
    }),
    defaultStatuses,
  );
  if (!isRefusal(selection)) return selection;
  const option = selection.field === "createdFrom" ? "from" : "until";
  throw new UsageError(`--${option} must be a time in ISO 8601 with a zone.`);
}
