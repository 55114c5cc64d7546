import { notificationLifecycle, type NotificationStatus } from "../../notifications/notification.ts";
import { notificationKinds } from "../../notifications/notification-kinds.ts";
import type { Selection } from "../../notifications/delivery.ts";
import type { Commands, Given, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  jsonOption,
  onlyGiven,
  operatorOf,
  operatorOptions,
  ownersSettings,
  subjectOf,
} from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const somePayment = "20261115093000123047601530017744120";
const someClient = "SANDBOX_7H2KQ9XW3M5T8RBC";
const statuses = Object.keys(notificationLifecycle) as NotificationStatus[];

const whichNotifications = {
  "client-id": { value: "CLIENT_ID", does: "Same as the CLIENT_ID argument" },
  id: { value: "ID", does: "Only this webhook" },
  subject: { value: "ID", does: "Only webhooks about this payment, capture, refund or dispute" },
  kind: { value: "KIND", does: "Only this kind, such as notifyPayment", oneOf: notificationKinds },
  status: { value: "STATUS", does: `Only ${statuses.join(", ")}`, oneOf: statuses },
  from: { value: "TIME", does: "Only webhooks created at or after this time, in ISO 8601 with a zone" },
  until: { value: "TIME", does: "Only webhooks created before this time" },
  limit: { value: "N", does: "Maximum number of rows, oldest first (default 100)" },
  ...operatorOptions,
  ...jsonOption,
} as const satisfies Options;

/** Commands to diagnose payments and to send webhooks again. */
export const triageCommands: Commands = {
  stuck: {
    needs: "support",
    does: "List open records: the party that must act, and the next poll",
    about:
      "Exits with code 1 if a record is stuck: its job is long overdue, or it has no job. The list is read " +
      "from the job queue, so it is fast with any number of payments. --whole reads all tables to find records " +
      "without a job, which would be a bug; run it in a quiet hour.\n" +
      ownersSettings,
    options: {
      whole: { does: "Read all tables, to find records without a job as well" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate stuck", "tollgate stuck --whole --json"],
    run: async (given) => {
      const { showStuck } = await import("./stuck.ts");
      const { url, environment } = operatorOf(given);
      const { records, stuckCount, table } = await showStuck(url, environment, given.has("whole"));
      show(given, { records, stuckCount }, table);
      if (stuckCount > 0) process.exitCode = 1;
    },
  },
  "payment show": {
    needs: "support",
    takes: ["ID"],
    does: "Print a payment's timeline: provider, ledger, webhooks and jobs",
    about:
      "ID can be the id of a payment, refund, capture, dispute or webhook, the merchant's request id (add " +
      "--client-id if several merchants use it), or the provider's reference, which reads all payments. " +
      `Secrets and texts of the merchant about its buyer are not shown. ${ownersSettings}`,
    options: {
      "client-id": { value: "CLIENT_ID", does: "Client id of the merchant with this request id" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      `tollgate payment show ${somePayment}`,
      "tollgate payment show order-4711",
      `tollgate payment show order-4711 --client-id ${someClient} --json`,
    ],
    run: async (given) => {
      const { findPaymentHistory, historyText } = await import("./payment.ts");
      const [id = ""] = given.words;
      const history = await findPaymentHistory(operatorOf(given), id, given.value("client-id"));
      show(given, history, historyText(history));
    },
  },
  "notification list": {
    needs: "support",
    takes: ["[CLIENT_ID]"],
    does: "List webhooks of a merchant, with undelivered ones",
    about: ownersSettings,
    options: whichNotifications,
    examples: [
      `tollgate notification list ${someClient} --status EXHAUSTED`,
      `tollgate notification list ${someClient} --subject ${somePayment} --json`,
    ],
    run: async (given) => {
      const { listNotifications, notificationTable } = await import("./notification.ts");
      const selection = await selectionIn(given, statuses);
      const found = await listNotifications(operatorOf(given), subjectOf(given, "client-id"), selection);
      show(given, found, notificationTable(found, selection.limit));
    },
  },
  "notification resend": {
    needs: "operator",
    acts: { english: "Sent a webhook again", chinese: "重发通知" },
    takes: ["[CLIENT_ID]"],
    does: "Send webhooks again: by id, by record or by time",
    about:
      "Sends the same body with a new signature. By time, the default is webhooks that were never " +
      "acknowledged; by id or record, all statuses. Merchants can do the same with " +
      `tollgate/resendNotifications. ${ownersSettings}`,
    options: whichNotifications,
    examples: [
      `tollgate notification resend ${someClient} --subject ${somePayment}`,
      `tollgate notification resend ${someClient} --from 2026-11-15T00:00:00Z --until 2026-11-15T12:00:00Z`,
    ],
    run: async (given) => {
      const { resendNotifications } = await import("./notification.ts");
      const isNamed = given.has("id") || given.has("subject");
      if (!isNamed && !given.has("from"))
        throw new UsageError("Select webhooks with --id, --subject or --from.");
      const selection = await selectionIn(given, isNamed ? statuses : ["EXHAUSTED", "UNSENT", "WAITING"]);
      const sent = await resendNotifications(operatorOf(given), subjectOf(given, "client-id"), selection);
      const more = sent.length === selection.limit ? " There may be more. Raise --limit, or use --from." : "";
      const ids = sent.map(({ notificationId }) => notificationId);
      show(given, { notificationIds: ids }, `${sent.length} webhooks are sent again.${more}`);
    },
  },
};

/** The selection of webhooks, as in the merchants' API, with shorter option names. */
async function selectionIn(given: Given, usual: readonly NotificationStatus[]): Promise<Selection> {
  const [{ selectionOf }, { isRefusal }] = await Promise.all([
    import("../../notifications/delivery-filter.schema.ts"),
    import("../../core/result.ts"),
  ]);
  const selection = selectionOf(
    onlyGiven({
      notificationId: given.value("id"),
      subjectId: given.value("subject"),
      notificationKind: given.value("kind"),
      notificationStatus: given.value("status"),
      createdFrom: given.value("from"),
      createdUntil: given.value("until"),
      limit: wholeNumber(given, "limit", [1, 10_000]),
    }),
    usual,
  );
  if (!isRefusal(selection)) return selection;
  const option = selection.field === "createdFrom" ? "from" : "until";
  throw new UsageError(`--${option} must be a time in ISO 8601 with a zone.`);
}
