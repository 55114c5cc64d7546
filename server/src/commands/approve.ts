import { DatabaseError } from "pg";
import { askedSubject, mayApprove } from "../audit/act-of-two.ts";
import { listAskedActs, updateApproved, type AskedAct } from "../audit/asked-act.sql.ts";
import { changesOf } from "../audit/audit.ts";
import { findStaffRole } from "../audit/audit.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { actAsOwner, asOwner, nameOf, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
import { shownTime } from "./show.ts";
import { align } from "./table.ts";

export async function findAsked({ url, environment }: Operator): Promise<readonly AskedAct[]> {
  return asOwner(url, environment, systemScope, listAskedActs);
}

/** The second person's word. It does nothing itself: whoever has asked runs the command again. */
export async function approveAsked(operator: Operator, askedId: number): Promise<AskedAct> {
  return actAsOwner(operator, systemScope, async (tx) => {
    const asked = await approved(tx, operator, askedId);
    if (!asked) throw new Impossible(`Nothing waits as ${askedId}: \`tollgate asked list\` lists what does.`);
    if (!mayApprove(asked.act, await findStaffRole(tx)))
      throw new Impossible(`Your role may not do ${asked.act} itself, and so not approve it.`);
    const { clientId, before, after } = asked;
    const audit = { act: "asked approve", subject: askedSubject(asked), clientId, before, after };
    return { value: asked, audit };
  });
}

async function approved(tx: Tx, operator: Operator, askedId: number): Promise<AskedAct | undefined> {
  try {
    return await updateApproved(tx, askedId, nameOf(operator));
  } catch (error) {
    const isOwn =
      error instanceof DatabaseError && error.constraint === "asked_acts_approved_by_another_login";
    throw isOwn
      ? new Impossible("This login has asked for it: it takes somebody else, with a login of their own.")
      : error;
  }
}

export function askedTable(asked: readonly AskedAct[]): string {
  if (asked.length === 0) return "Nothing waits for a second person.";
  const head = ["number", "since", "who", "login", "what", "to", "reason", "approved by"];
  const rows = asked.map((each) => [
    String(each.askedId),
    shownTime(each.askedAt),
    each.askedBy,
    each.askedLogin,
    each.act,
    each.subject,
    each.reason ?? "",
    each.approvedBy ?? "nobody yet",
  ]);
  const [title = "", ...lines] = align([head, ...rows]).split("\n");
  return [title, ...asked.flatMap((each, index) => [lines[index] ?? "", ...changeLines(each)])].join("\n");
}

function changeLines(asked: AskedAct): string[] {
  return changesOf(asked).map(({ field, before, after }) => {
    const values = [before, after].filter((value) => value !== undefined);
    return `        ${field}: ${values.join(" → ")}`;
  });
}
