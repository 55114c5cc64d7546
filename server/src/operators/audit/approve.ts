import { DatabaseError } from "pg";
import { approvalSubject, mayApprove } from "../../audit/dual-approval.ts";
import {
  listApprovalRequests,
  updateRequestApproved,
  type ApprovalRequest,
} from "../../audit/approval-request.sql.ts";
import { listFieldChanges } from "../../audit/audit.ts";
import { findStaffRole } from "../../audit/audit.sql.ts";
import { changesForAudit, formatRowChange } from "../../audit/row-change.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import {
  actAsOwner,
  queryAsOwner,
  operatorName,
  type Operator,
} from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { formatUtcTime, formatTextTable, escapeControlCharacters } from "../../formats/text-table.ts";

export async function findPendingApprovals({
  url,
  environment,
}: Operator): Promise<readonly ApprovalRequest[]> {
  return queryAsOwner(url, environment, systemScope, listApprovalRequests);
}

/** `approveRequest` approves a request. The change itself is made when the requester runs the command again. */
export async function approveRequest(operator: Operator, requestId: number): Promise<ApprovalRequest> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const request = await markApproved(tx, operator, requestId);
    if (!request)
      throw new CommandFailed(
        `There is no pending request ${requestId}. List pending requests with \`tollgate approval list\`.`,
      );
    // PostgreSQL has already checked the approver's role for recorded row changes. Other acts are checked here.
    if (request.changes.length === 0 && !mayApprove(request.act, await findStaffRole(tx)))
      throw new CommandFailed(`Your role is not allowed to do ${request.act}, so you cannot approve it.`);
    const { clientId, changes, before, after } = request;
    const describedChanges = changes.length > 0 ? { after: changesForAudit(changes) } : { before, after };
    return {
      value: request,
      audit: { act: "approval approve", subject: approvalSubject(request), clientId, ...describedChanges },
    };
  });
}

async function markApproved(
  tx: Tx,
  operator: Operator,
  requestId: number,
): Promise<ApprovalRequest | undefined> {
  try {
    return await updateRequestApproved(tx, requestId, operatorName(operator));
  } catch (error) {
    const message =
      error instanceof DatabaseError ? constraintMessages.get(error.constraint ?? "") : undefined;
    throw message === undefined ? error : new CommandFailed(message);
  }
}

/** Messages for violated constraints of an approval, by constraint name. */
const constraintMessages: ReadonlyMap<string, string> = new Map([
  [
    "approval_requests_approved_by_another_login",
    "You made this request with this login. Another person must approve it with their own login.",
  ],
  [
    "approval_requests_approved_by_who_may_do_it",
    "Your role is not allowed to make these changes, so you cannot approve them.",
  ],
]);

export function approvalTable(requests: readonly ApprovalRequest[]): string {
  if (requests.length === 0) return "No requests are pending.";
  const head = ["number", "since", "who", "login", "what", "to", "reason", "approved by"];
  const rows = requests.map((each) =>
    [
      String(each.askedId),
      formatUtcTime(each.askedAt),
      each.askedBy,
      each.askedLogin,
      each.act,
      each.subject,
      each.reason ?? "",
      each.approvedBy ?? "pending",
    ].map(escapeControlCharacters),
  );
  const [title = "", ...lines] = formatTextTable([head, ...rows]).split("\n");
  return [title, ...requests.flatMap((each, index) => [lines[index] ?? "", ...changeLines(each)])].join("\n");
}

/** Returns the recorded row changes, or the requester's description if the act has none. */
function changeLines(request: ApprovalRequest): string[] {
  const described = listFieldChanges(request).map(({ field, before, after }) => {
    const values = [before, after].filter((value) => value !== undefined);
    return `described by ${request.askedBy}: ${field}: ${values.join(" → ")}`;
  });
  return [...request.changes.map(formatRowChange), ...described].map(
    (line) => `        ${escapeControlCharacters(line)}`,
  );
}
