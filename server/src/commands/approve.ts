import { DatabaseError } from "pg";
import { askedSubject, mayApprove } from "../audit/act-of-two.ts";
import { listAskedActs, updateApproved, type AskedAct } from "../audit/asked-act.sql.ts";
import { changesOf } from "../audit/audit.ts";
import { findStaffRole } from "../audit/audit.sql.ts";
import { changesForAudit, rowChangeText } from "../audit/row-change.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { actAsOwner, asOwner, nameOf, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { shownTime } from "./show.ts";
import { align, printable } from "./table.ts";

export async function findAsked({ url, environment }: Operator): Promise<readonly AskedAct[]> {
  return asOwner(url, environment, systemScope, listAskedActs);
}

/** The second person's word. It does nothing itself: whoever has asked runs the command again. */
export async function approveAsked(operator: Operator, askedId: number): Promise<AskedAct> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const asked = await approved(tx, operator, askedId);
    if (!asked) throw new Impossible(`Nothing waits as ${askedId}: \`tollgate asked list\` lists what does.`);
    // PostgreSQL has checked it for recorded changes.
    if (asked.changes.length === 0 && !mayApprove(asked.act, await findStaffRole(tx)))
      throw new Impossible(`Your role may not do ${asked.act} itself, and so not approve it.`);
    const { clientId, changes, before, after } = asked;
    const described = changes.length > 0 ? { after: changesForAudit(changes) } : { before, after };
    return {
      value: asked,
      audit: { act: "asked approve", subject: askedSubject(asked), clientId, ...described },
    };
  });
}

async function approved(tx: Tx, operator: Operator, askedId: number): Promise<AskedAct | undefined> {
  try {
    return await updateApproved(tx, askedId, nameOf(operator));
  } catch (error) {
    const refusal = error instanceof DatabaseError ? refusals.get(error.constraint ?? "") : undefined;
    throw refusal === undefined ? error : new Impossible(refusal);
  }
}

/** By constraint: what PostgreSQL refuses of an approval. */
const refusals: ReadonlyMap<string, string> = new Map([
  [
    "asked_acts_approved_by_another_login",
    "This login has asked for it: it takes somebody else, with a login of their own.",
  ],
  [
    "asked_acts_approved_by_who_may_do_it",
    "Your role may not make these changes itself, and so not approve them.",
  ],
]);

export function askedTable(asked: readonly AskedAct[]): string {
  if (asked.length === 0) return "Nothing waits for a second person.";
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
      each.approvedBy ?? "nobody yet",
    ].map(printable),
  );
  const [title = "", ...lines] = align([head, ...rows]).split("\n");
  return [title, ...asked.flatMap((each, index) => [lines[index] ?? "", ...changeLines(each)])].join("\n");
}

/** The recorded changes; of an act without any, the requester's description. */
function changeLines(asked: AskedAct): string[] {
  const described = changesOf(asked).map(({ field, before, after }) => {
    const values = [before, after].filter((value) => value !== undefined);
    return `described by ${asked.askedBy}: ${field}: ${values.join(" → ")}`;
  });
  return [...asked.changes.map(rowChangeText), ...described].map((line) => `        ${printable(line)}`);
}
