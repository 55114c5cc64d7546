import { DatabaseError } from "pg";
import { approvalSubject, mayApprove } from "../../audit/dual-approval.ts";
import {
  listApprovalRequests,
  updateApproved,
  type ApprovalRequest,
} from "../../audit/approval-request.sql.ts";
import { changesOf } from "../../audit/audit.ts";
import { findStaffRole } from "../../audit/audit.sql.ts";
import { changesForAudit, rowChangeText } from "../../audit/row-change.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Tx } from "../../postgres/sql.ts";
import { actAsOwner, asOwner, nameOf, type Operator } from "../../operator-session/as-owner.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { shownTime, align, printable } from "../../formats/text-table.ts";

export async function findPendingApprovals({
  url,
  environment,
}: Operator): Promise<readonly ApprovalRequest[]> {
  return asOwner(url, environment, systemScope, listApprovalRequests);
}

/** `approveRequest` approves a request. The change itself is made when the requester runs the command again. */
export async function approveRequest(operator: Operator, askedId: number): Promise<ApprovalRequest> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const asked = await approved(tx, operator, askedId);
    if (!asked)
      throw new CommandFailed(
        `There is no pending request ${askedId}. List pending requests with \`tollgate approval list\`.`,
      );
    // PostgreSQL has already checked the approver's role for recorded row changes. Other acts are checked here.
    if (asked.changes.length === 0 && !mayApprove(asked.act, await findStaffRole(tx)))
      throw new CommandFailed(`Your role is not allowed to do ${asked.act}, so you cannot approve it.`);
    const { clientId, changes, before, after } = asked;
    const described = changes.length > 0 ? { after: changesForAudit(changes) } : { before, after };
    return {
      value: asked,
      audit: { act: "approval approve", subject: approvalSubject(asked), clientId, ...described },
    };
  });
}

async function approved(tx: Tx, operator: Operator, askedId: number): Promise<ApprovalRequest | undefined> {
  try {
    return await updateApproved(tx, askedId, nameOf(operator));
  } catch (error) {
    const refusal = error instanceof DatabaseError ? refusals.get(error.constraint ?? "") : undefined;
    throw refusal === undefined ? error : new CommandFailed(refusal);
  }
}

/** Messages for violated constraints of an approval, by constraint name. */
const refusals: ReadonlyMap<string, string> = new Map([
  [
    "approval_requests_approved_by_another_login",
    "You made this request with this login. Another person must approve it with their own login.",
  ],
  [
    "approval_requests_approved_by_who_may_do_it",
    "Your role is not allowed to make these changes, so you cannot approve them.",
  ],
]);

export function askedTable(asked: readonly ApprovalRequest[]): string {
  if (asked.length === 0) return "No requests are pending.";
  const head = ["number", "since", "who", "login", "what", "to", "reason", "approved by"];
  const rows = asked.map((each) =>
    [
      String(each.askedId),
      shownTime(each.askedAt),
      each.askedBy,
      each.askedLogin,
      each.act,
      each.subject,
      each.reason ?? "",
      each.approvedBy ?? "pending",
    ].map(printable),
  );
  const [title = "", ...lines] = align([head, ...rows]).split("\n");
  return [title, ...asked.flatMap((each, index) => [lines[index] ?? "", ...changeLines(each)])].join("\n");
}

/** Returns the recorded row changes, or the requester's description if the act has none. */
function changeLines(asked: ApprovalRequest): string[] {
  const described = changesOf(asked).map(({ field, before, after }) => {
    const values = [before, after].filter((value) => value !== undefined);
    return `described by ${asked.askedBy}: ${field}: ${values.join(" → ")}`;
  });
  return [...asked.changes.map(rowChangeText), ...described].map((line) => `        ${printable(line)}`);
}
