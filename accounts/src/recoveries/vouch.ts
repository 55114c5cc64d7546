import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import { memberRoute, type Call, type Handled } from "../api/route.ts";
import { Body, Email, Nothing, Reason, Time, Word } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { Act } from "../audit/audit.ts";
import { quoted } from "../mail/emails.ts";
import { recoveryCodeLetter, recoveryLetters } from "../mail/recovery-emails.ts";
import { newId } from "../new-id.ts";
import { findMayApprove, lockMemberships } from "../organisations/membership.sql.ts";
import { countOtherStaffAdmins, roleRefusal } from "../organisations/organisation.ts";
import { listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { toEmail, type Person } from "../people/person.ts";
import { findPerson, findPersonByEmail } from "../people/person.sql.ts";
import { newToken } from "../sessions/begin-session.tx.ts";
import { actorOf, type MemberCaller } from "../sessions/session.ts";
import {
  canVouch,
  codeBytes,
  codeHash,
  codeText,
  staffAdminsNeeded,
  staffLastsMs,
  staffWaitMs,
  vouchedLastsMs,
  type Recovery,
} from "./recovery.ts";
import { confirmRecovery, insertRecovery, listRecoveries, lockRecovery } from "./recovery.sql.ts";
import { listNoticeRecipients } from "./recipients.sql.ts";

type MemberCall = Call & { readonly caller: MemberCaller };

const Begun = Type.Object({ recoveryId: Type.String() });

export const vouchFor = memberRoute({
  method: "POST",
  path: "/accounts/recoveries",
  summary:
    "Vouches as the first of two people for a member of the organisation who has lost all credentials.",
  who: "people.change",
  request: Body({ personId: Word, reason: Reason }),
  response: Begun,

  async handle(call, { personId, reason }) {
    const { caller, now } = call;
    const { organisationId } = caller.place;
    const expiresAt = new Date(now.getTime() + vouchedLastsMs);
    return call.transaction(async (tx) => {
      const refusal = await vouchRefusal(tx, call, { personId, askedAt: now });
      return refusal ?? begin(tx, call, { personId, organisationId, reason, expiresAt });
    });
  },
});

export const vouchAsSecond = memberRoute({
  method: "POST",
  path: "/accounts/recoveries/confirm",
  summary:
    "Vouches as the second of two people. The member then gets a code by email to set up a new passkey or password.",
  who: "people.change",
  request: Body({ recoveryId: Word }),
  response: Nothing,

  async handle(call, { recoveryId }) {
    const { caller, now } = call;
    const { organisationId } = caller.place;
    return call.transaction(async (tx) => {
      const recovery = await lockRecovery(tx, recoveryId, now);
      if (recovery?.organisationId !== organisationId) return refuse("NOT_FOUND");
      const refusal = secondRefusal(caller, recovery) ?? (await vouchRefusal(tx, call, recovery));
      if (refusal) return refusal;
      await confirm(tx, call, recovery, now);
      return { answer: {} };
    });
  },
});

/**
 * `vouchAsOperator` lets staff vouch for a merchant's person without a second admin, or with several organisations. It
 * never recovers staff.
 */
export const vouchAsOperator = memberRoute({
  method: "POST",
  path: "/accounts/recoveries/operator",
  doors: ["operator"],
  summary:
    "Vouches as the first of two staff members for a member of a merchant. The code is valid after 24 hours; until then the person and all owners can stop the recovery.",
  who: "people.recover",
  request: Body({ email: Email, reason: Reason }),
  response: Begun,

  async handle(call, { email, reason }) {
    const expiresAt = new Date(call.now.getTime() + staffLastsMs);
    return call.transaction(async (tx) => {
      const person = await findPersonByEmail(tx, toEmail(email));
      if (!person) return refuse("NOT_FOUND");
      const { personId } = person;
      const refusal = await operatorRefusal(tx, call, { personId, askedAt: call.now });
      return refusal ?? begin(tx, call, { personId, organisationId: undefined, reason, expiresAt });
    });
  },
});

export const vouchAsSecondOperator = memberRoute({
  method: "POST",
  path: "/accounts/recoveries/operator/confirm",
  doors: ["operator"],
  summary: "Vouches as the second of two staff members. The merchant's member then gets a code by email.",
  who: "people.recover",
  request: Body({ recoveryId: Word }),
  response: Type.Object({ readyAt: Time }),

  async handle(call, { recoveryId }) {
    const { caller, now } = call;
    return call.transaction(async (tx) => {
      const recovery = await lockRecovery(tx, recoveryId, now);
      if (!recovery || recovery.organisationId !== undefined) return refuse("NOT_FOUND");
      const refusal = secondRefusal(caller, recovery) ?? (await operatorRefusal(tx, call, recovery));
      if (refusal) return refusal;
      const readyAt = new Date(Math.max(now.getTime(), recovery.askedAt.getTime() + staffWaitMs));
      await confirm(tx, call, recovery, readyAt);
      return { answer: { readyAt: readyAt.toISOString() } };
    });
  },
});

const RecoveriesShown = Type.Object({
  recoveries: Type.Array(
    Type.Object({
      recoveryId: Type.String(),
      personId: Type.String(),
      name: Type.String(),
      email: Type.String(),
      reason: Type.String(),
      askedBy: Type.String(),
      askedAt: Time,
      readyAt: Type.Optional(Time),
      expiresAt: Time,
    }),
  ),
});

export const listOwnRecoveries = memberRoute({
  method: "GET",
  path: "/accounts/recoveries",
  summary: "Open account recoveries of the organisation.",
  who: "people.read",
  request: Nothing,
  response: RecoveriesShown,

  async handle({ caller, read, now }) {
    return { answer: shown(await listRecoveries(read, caller.place.organisationId, now)) };
  },
});

export const listOperatorsRecoveries = memberRoute({
  method: "GET",
  path: "/accounts/recoveries/operator",
  doors: ["operator"],
  summary: "Open account recoveries for which staff vouch.",
  who: "merchants.read",
  request: Nothing,
  response: RecoveriesShown,

  async handle({ read, now }) {
    return { answer: shown(await listRecoveries(read, undefined, now)) };
  },
});

type Beginning = Pick<Recovery, "personId" | "organisationId" | "reason" | "expiresAt">;

async function begin(
  tx: Tx,
  { caller, engine, now, tell }: MemberCall,
  beginning: Beginning,
): Promise<Handled<{ recoveryId: string }>> {
  const { personId, organisationId } = beginning;
  const person = await findPerson(tx, personId);
  if (!person) return refuse("NOT_FOUND");
  const { token, tokenHash } = newToken();
  const recovery = {
    ...beginning,
    recoveryId: newId("rec"),
    askedBy: caller.person.personId,
    commandBy: undefined,
    confirmedBy: undefined,
    askedAt: now,
    readyAt: undefined,
  };
  if (!(await insertRecovery(tx, recovery, { cancelHash: tokenHash }))) return refuse("RECOVERY_UNDER_WAY");
  await write(tx, caller, "recovery.ask", recovery);
  const { name, email } = person;
  const to = await listNoticeRecipients(tx, personId);
  const way =
    organisationId === undefined
      ? ({ second: "provider", readyAt: new Date(now.getTime() + staffWaitMs) } as const)
      : ({ second: "organisation", readyAt: undefined } as const);
  tell(recoveryLetters(engine.urls.portal, { to, name, email, by: wordsFor(caller), ...way, token }));
  return { answer: { recoveryId: recovery.recoveryId } };
}

/** `confirm` creates the code and sends it only to the person; the people who vouch never see it. */
async function confirm(
  tx: Tx,
  { caller, engine, now, tell }: MemberCall,
  recovery: Recovery,
  readyAt: Date,
): Promise<void> {
  const { recoveryId, expiresAt } = recovery;
  const code = codeText(randomBytes(codeBytes));
  const { personId } = caller.person;
  await confirmRecovery(tx, recoveryId, { personId, codeHash: codeHash(code), now, readyAt });
  await write(tx, caller, "recovery.confirm", { ...recovery, readyAt });
  const person = await findPerson(tx, recovery.personId);
  if (!person) throw new Error(`Recovery ${recoveryId} refers to a missing person.`);
  const isStaff = caller.place.organisationId === recovery.organisationId && caller.place.kind === "staff";
  const url = engine.urls[isStaff ? "operator" : "portal"];
  tell([recoveryCodeLetter(url, { to: person.email, code, readyAt, expiresAt })]);
}

function wordsFor({ person, place }: MemberCaller): string {
  return place.kind === "staff"
    ? `The gateway operator (${quoted(person.name)})`
    : `${quoted(person.name)} of ${quoted(place.organisation)}`;
}

type Vouching = Pick<Recovery, "personId" | "askedAt">;

/** `secondRefusal` returns the reason why the caller cannot be the second of two people who vouch. */
function secondRefusal({ person }: MemberCaller, recovery: Recovery): Refusal | undefined {
  if (recovery.confirmedBy !== undefined || recovery.commandBy !== undefined) return refuse("NOT_FOUND");
  return recovery.askedBy === person.personId ? refuse("ANOTHER_PERSON_NEEDED") : undefined;
}

/** `vouchRefusal` returns the reason why the caller cannot vouch for this member of the caller's organisation. */
async function vouchRefusal(
  tx: Tx,
  { caller, now }: MemberCall,
  { personId, askedAt }: Vouching,
): Promise<Refusal | undefined> {
  const { organisationId, kind } = caller.place;
  if (personId === caller.person.personId) return refuse("ANOTHER_PERSON_NEEDED");
  const roles = await lockMemberships(tx, organisationId);
  const [own, role] = [roles.get(caller.person.personId), roles.get(personId)];
  if (!own || !role) return refuse("NOT_FOUND");
  const denied = roleRefusal(own, kind, role);
  if (denied) return refuse(denied);
  if (!canVouch(await listOwnOrganisations(tx, personId), organisationId))
    return refuse("RECOVERY_BY_OPERATOR");
  if (kind === "staff" && countOtherStaffAdmins(roles, personId) < staffAdminsNeeded)
    return refuse("RECOVERY_BY_COMMAND");
  return newcomerRefusal(tx, caller, { askedAt, now });
}

/** `operatorRefusal` returns the reason why the caller, as staff, cannot vouch for this member of a merchant. */
async function operatorRefusal(
  tx: Tx,
  { caller, now }: MemberCall,
  { personId, askedAt }: Vouching,
): Promise<Refusal | undefined> {
  if (personId === caller.person.personId) return refuse("ANOTHER_PERSON_NEEDED");
  if (!canVouch(await listOwnOrganisations(tx, personId), undefined))
    return refuse("RECOVERY_BY_STAFF_ADMINS");
  return newcomerRefusal(tx, caller, { askedAt, now });
}

async function newcomerRefusal(
  tx: Tx,
  { person: { personId }, place: { organisationId } }: MemberCaller,
  { askedAt, now }: { readonly askedAt: Date; readonly now: Date },
): Promise<Refusal | undefined> {
  const mayApprove = await findMayApprove(tx, { organisationId, personId }, { requestedAt: askedAt, now });
  return mayApprove ? undefined : refuse("APPROVER_TOO_NEW");
}

async function write(
  tx: Tx,
  caller: MemberCaller,
  act: Act,
  { personId, organisationId, recoveryId, reason, readyAt }: Recovery,
): Promise<void> {
  await insertAudit(tx, {
    actor: actorOf(caller),
    act,
    subject: personId,
    organisationId: organisationId ?? (await listOwnOrganisations(tx, personId))[0]?.organisationId,
    reason,
    after: { recoveryId, ...(readyAt && { readyAt: readyAt.toISOString() }) },
  });
}

function shown(recoveries: readonly (Recovery & Pick<Person, "name" | "email">)[]): {
  recoveries: {
    recoveryId: string;
    personId: string;
    name: string;
    email: string;
    reason: string;
    askedBy: string;
    askedAt: string;
    readyAt?: string;
    expiresAt: string;
  }[];
} {
  return {
    recoveries: recoveries.map(({ recoveryId, personId, name, email, reason, ...recovery }) => ({
      recoveryId,
      personId,
      name,
      email,
      reason,
      askedBy: recovery.askedBy ?? `command ${recovery.commandBy}`,
      askedAt: recovery.askedAt.toISOString(),
      ...(recovery.readyAt && { readyAt: recovery.readyAt.toISOString() }),
      expiresAt: recovery.expiresAt.toISOString(),
    })),
  };
}
