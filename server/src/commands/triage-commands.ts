import {
  notificationKinds,
  notificationLifecycle,
  type NotificationStatus,
} from "../notifications/notification.ts";
import type { Selection } from "../notifications/delivery.ts";
import { UsageError, type Commands, type Given, type Options } from "./command.ts";
import { jsonOption, onlyGiven, operatorOf, operatorOptions, ownersSettings, subjectOf } from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

const somePayment = "20261115093000123047601530017744120";
const someClient = "SANDBOX_7H2KQ9XW3M5T8RBC";
const statuses = Object.keys(notificationLifecycle) as NotificationStatus[];

const whichNotifications = {
  "client-id": { value: "CLIENT_ID", does: "the same as the word" },
  id: { value: "ID", does: "only this notification" },
  subject: { value: "ID", does: "only those about this payment, capture, refund or dispute" },
  kind: { value: "KIND", does: "only this kind, such as notifyPayment", oneOf: notificationKinds },
  status: { value: "STATUS", does: `only ${statuses.join(", ")}`, oneOf: statuses },
  from: { value: "TIME", does: "only those made at this time or later, in ISO 8601 with a zone" },
  until: { value: "TIME", does: "only those made before this time" },
  limit: { value: "N", does: "at most so many, the oldest first; 100 unless said otherwise" },
  ...operatorOptions,
  ...jsonOption,
} as const satisfies Options;

/** Commands for finding out what is wrong, and for sending again what did not arrive. */
export const triageCommands: Commands = {
  stuck: {
    needs: "support",
    does: "list what is not final, whose move it is, and when it is looked at next",
    about:
      "Exit code 1 says that something is stuck: its job is long overdue, or nobody will do it. It goes by the jobs, so it is quick however\n" +
      "many payments there are. A record that has lost its job must not be; --whole reads all tables to look for one, in a quiet hour.\n" +
      ownersSettings,
    options: {
      whole: { does: "read all tables, and find records without a job as well" },
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
    does: "all that happened to a payment: its wallet, the ledger, notifications, and what is planned",
    about:
      "By the payment's id; by that of a refund, capture, dispute or notification of it; by the merchant's request id, for which\n" +
      "--client-id is needed when several merchants have the same; or by its reference at the wallet, for which all payments are read.\n" +
      `Neither secrets nor what the merchant wrote about its buyer are shown. ${ownersSettings}`,
    options: {
      "client-id": { value: "CLIENT_ID", does: "whose request id it is" },
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
    does: "what a merchant was told, and what did not arrive",
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
    acts: true,
    takes: ["[CLIENT_ID]"],
    does: "tell a merchant again: one notification, those of a payment, or those of a time",
    about:
      "The same bytes as before, signed anew. Without --status, a time means those that were never taken note of, and an id or a\n" +
      `subject every status. A merchant can do it as well, by tollgate/resendNotifications. ${ownersSettings}`,
    options: whichNotifications,
    examples: [
      `tollgate notification resend ${someClient} --subject ${somePayment}`,
      `tollgate notification resend ${someClient} --from 2026-11-15T00:00:00Z --until 2026-11-15T12:00:00Z`,
    ],
    run: async (given) => {
      const { resendNotifications } = await import("./notification.ts");
      const isNamed = given.has("id") || given.has("subject");
      if (!isNamed && !given.has("from")) throw new UsageError("Say which: --id, --subject or --from.");
      const selection = await selectionIn(given, isNamed ? statuses : ["EXHAUSTED", "UNSENT", "WAITING"]);
      const sent = await resendNotifications(operatorOf(given), subjectOf(given, "client-id"), selection);
      const more = sent.length === selection.limit ? " There may be more: raise --limit, or --from." : "";
      const ids = sent.map(({ notificationId }) => notificationId);
      show(given, { notificationIds: ids }, `${sent.length} go out again.${more}`);
    },
  },
};

/** The same selection that merchants have; only the names of its parts are shorter. */
async function selectionIn(given: Given, usual: readonly NotificationStatus[]): Promise<Selection> {
  const [{ selectionOf }, { isRefusal }] = await Promise.all([
    import("../notifications/delivery-filter.schema.ts"),
    import("../core/result.ts"),
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
  throw new UsageError(`--${option} has to be a time in ISO 8601 with a zone.`);
}
