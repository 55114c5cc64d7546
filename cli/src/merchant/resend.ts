import type {
  ResendNotificationsRequest,
  SentNotification,
} from "../../../clients/typescript/src/generated/models.ts";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { parseDuration } from "./duration.ts";
import { findGateway } from "./configured-gateway.ts";
import { repeatUntil } from "./repeat-until.ts";

/** Sends webhooks again, and waits for the result of each. */
export async function resend(args: CommandArguments): Promise<void> {
  const filters = buildFilters(args);
  const { client } = await findGateway(args.value("folder"));
  const [filter, notifications] = await findMatching(client, filters);
  const attempts = new Map(notifications.map((each) => [each.notificationId, each.attempts.length]));
  const { notificationIds = [] } = await client.tollgate.resendNotifications(filter);
  if (notificationIds.length === 0)
    throw new Error("There is no such webhook, or none that must be sent again.");
  const sent = await Promise.all(
    notificationIds.map((id) => waitForAttempt(client, id, attempts.get(id) ?? 0)),
  );
  for (const each of sent)
    process.stdout.write(args.has("json") ? `${JSON.stringify(each)}\n` : `${formatNotification(each)}\n`);
  if (sent.some(({ notificationStatus }) => notificationStatus !== "DELIVERED")) process.exitCode = 1;
}

/**
 * Returns the filters of the webhooks to send again: by subject or by the webhook's own id, by time, or by a position
 * in the feed.
 */
function buildFilters(args: CommandArguments): readonly ResendNotificationsRequest[] {
  const [id] = args.positionals;
  const [from, since] = [args.value("from"), args.value("since")];
  if ([id, from, since].filter((each) => each !== undefined).length !== 1)
    throw new UsageError(
      "Specify one of: the id of a payment or of a webhook, --since 1h, or --from CURSOR.",
    );
  if (from !== undefined) return [{ fromCursor: from }];
  if (since !== undefined) return [{ createdFrom: parseSince(since) }];
  return [{ subjectId: id }, { notificationId: id }];
}

/** Returns the first filter that finds webhooks, with the webhooks that it finds. */
async function findMatching(
  client: Tollgate,
  filters: readonly ResendNotificationsRequest[],
): Promise<readonly [ResendNotificationsRequest, readonly SentNotification[]]> {
  for (const filter of filters) {
    const { notifications = [] } = await client.tollgate.inquiryNotifications(filter);
    if (notifications.length > 0) return [filter, notifications];
  }
  throw new Error("There is no webhook with this id, or in this time.");
}

function parseSince(since: string): string {
  const seconds = parseDuration(since);
  const ms = seconds === undefined ? Date.parse(since) : Date.now() - seconds * 1000;
  if (Number.isNaN(ms))
    throw new UsageError(`--since must be a duration such as 1h, or a time, not ${since}.`);
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}

/** Waits until another delivery attempt was made, or until it is known that no webhook address is configured. */
async function waitForAttempt(
  client: Tollgate,
  notificationId: string,
  attemptsBefore: number,
): Promise<SentNotification> {
  const answer = await repeatUntil(
    () => client.tollgate.inquiryNotifications({ notificationId }),
    ({ notifications = [] }) => notifications.every((each) => hasNewAttempt(each, attemptsBefore)),
  );
  const [notification] = answer.notifications ?? [];
  if (!notification) throw new Error(`There is no webhook ${notificationId}.`);
  return notification;
}

function hasNewAttempt({ notificationStatus, attempts }: SentNotification, attemptsBefore: number): boolean {
  return notificationStatus === "UNSENT" || attempts.length > attemptsBefore;
}

function formatNotification(sent: SentNotification): string {
  const { notificationKind, notificationStatus, subjectId, url, attempts } = sent;
  const last = attempts.at(-1);
  const outcome =
    notificationStatus === "UNSENT"
      ? "no address is configured: call changeEndpoints, or send an address in the request"
      : `${last?.failure ?? `${last?.httpStatus}, acknowledged`}, ${last?.totalMs ?? 0} ms, to ${url}`;
  return `${notificationKind.padEnd(24)}  ${subjectId}  ${outcome}`;
}
