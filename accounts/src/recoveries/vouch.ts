import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import { memberRoute, type Call, type RouteResult } from "../api/route.ts";
import { Body, Email, EmptyObject, Reason, Time, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { Act } from "../audit/audit-entry.ts";
import { quoteName } from "../mail/email-templates.ts";
import { recoveryCodeEmail, recoveryNotices } from "../mail/recovery-emails.ts";
import { newId } from "../new-id.ts";
import { canMemberApprove, lockMemberships } from "../organisations/membership.sql.ts";
import { countOtherStaffAdmins, roleRefusal } from "../organisations/organisation.ts";
import { listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { toEmail, type Person } from "../people/person.ts";
import { findPerson, findPersonByEmail } from "../people/person.sql.ts";
import { newToken } from "../sessions/begin-session.tx.ts";
import { actorOf, type MemberCaller } from "../sessions/session.ts";
import {
  canVouch,
  codeBytes,
  hashRecoveryCode,
  formatRecoveryCode,
  staffAdminsNeeded,
  staffRecoveryLifetimeMs,
  staffWaitMs,
  vouchLifetimeMs,
  type Recovery,
} from "./recovery.ts";
import { confirmRecovery, insertRecovery, listRecoveries, lockRecovery } from "./recovery.sql.ts";
import { listNoticeRecipients } from "./recipients.sql.ts";

type MemberCall = Call & { readonly caller: MemberCaller };

const RecoveryStarted = Type.Object({ recoveryId: Type.String() });

export const vouchAsFirst = memberRoute({
  method: "POST",
  path: "/accounts/recoveries",
  summary:
    "Vouches as the first of two people for a member of the organisation who has lost all credentials.",
  access: "people.change",
  request: Body({ personId: TokenOrId, reason: Reason }),
  response: RecoveryStarted,

  async handle(call, { personId, reason }) {
    const { caller, now } = call;
    const { organisationId } = caller.membership;
    const expiresAt = new Date(now.getTime() + vouchLifetimeMs);
    return call.transaction(async (tx) => {
      const refusal = await vouchRefusal(tx, call, { personId, requestedAt: now });
      return refusal ?? startRecovery(tx, call, { personId, organisationId, reason, expiresAt });
    });
  },
});

export const vouchAsSecond = memberRoute({
  method: "POST",
  path: "/accounts/recoveries/confirm",
  summary:
    "Vouches as the second of two people. The member then gets a code by email to set up a new passkey or password.",
  access: "people.change",
  request: Body({ recoveryId: TokenOrId }),
  response: EmptyObject,

  async handle(call, { recoveryId }) {
    const { caller, now } = call;
    const { organisationId } = caller.membership;
    return call.transaction(async (tx) => {
      const recovery = await lockRecovery(tx, recoveryId, now);
      if (recovery?.organisationId !== organisationId) return refuse("NOT_FOUND");
      const refusal = secondRefusal(caller, recovery) ?? (await vouchRefusal(tx, call, recovery));
      if (refusal) return refusal;
      await issueRecoveryCode(tx, call, recovery, now);
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
  sites: ["operator"],
  summary:
    "Vouches as the first of two staff members for a member of a merchant. The code is valid after 24 hours; until then the person and all owners can stop the recovery.",
  access: "people.recover",
  request: Body({ email: Email, reason: Reason }),
  response: RecoveryStarted,

  async handle(call, { email, reason }) {
    const expiresAt = new Date(call.now.getTime() + staffRecoveryLifetimeMs);
    return call.transaction(async (tx) => {
      const person = await findPersonByEmail(tx, toEmail(email));
      if (!person) return refuse("NOT_FOUND");
      const { personId } = person;
      const refusal = await operatorRefusal(tx, call, { personId, requestedAt: call.now });
      return refusal ?? startRecovery(tx, call, { personId, organisationId: undefined, reason, expiresAt });
    });
  },
});

export const vouchAsSecondOperator = memberRoute({
  method: "POST",
  path: "/accounts/recoveries/operator/confirm",
  sites: ["operator"],
  summary: "Vouches as the second of two staff members. The merchant's member then gets a code by email.",
  access: "people.recover",
  request: Body({ recoveryId: TokenOrId }),
  response: Type.Object({ readyAt: Time }),

  async handle(call, { recoveryId }) {
    const { caller, now } = call;
    return call.transaction(async (tx) => {
      const recovery = await lockRecovery(tx, recoveryId, now);
      if (!recovery || recovery.organisationId !== undefined) return refuse("NOT_FOUND");
      const refusal = secondRefusal(caller, recovery) ?? (await operatorRefusal(tx, call, recovery));
      if (refusal) return refusal;
      const readyAt = new Date(Math.max(now.getTime(), recovery.requestedAt.getTime() + staffWaitMs));
      await issueRecoveryCode(tx, call, recovery, readyAt);
      return { answer: { readyAt: readyAt.toISOString() } };
    });
  },
});

const RecoveryList = Type.Object({
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
  access: "people.read",
  request: EmptyObject,
  response: RecoveryList,

  async handle({ caller, read, now }) {
    return { answer: toRecoveryList(await listRecoveries(read, caller.membership.organisationId, now)) };
  },
});

export const listOperatorRecoveries = memberRoute({
  method: "GET",
  path: "/accounts/recoveries/operator",
  sites: ["operator"],
  summary: "Open account recoveries for which staff vouch.",
  access: "merchants.read",
  request: EmptyObject,
  response: RecoveryList,

  async handle({ read, now }) {
    return { answer: toRecoveryList(await listRecoveries(read, undefined, now)) };
  },
});

type NewRecovery = Pick<Recovery, "personId" | "organisationId" | "reason" | "expiresAt">;

async function startRecovery(
  tx: Tx,
  { caller, engine, now, sendAfterCommit }: MemberCall,
  newRecovery: NewRecovery,
): Promise<RouteResult<{ recoveryId: string }>> {
  const { personId, organisationId } = newRecovery;
  const person = await findPerson(tx, personId);
  if (!person) return refuse("NOT_FOUND");
  const { token, tokenHash } = newToken();
  const recovery = {
    ...newRecovery,
    recoveryId: newId("rec"),
    requestedBy: caller.person.personId,
    requestedByCommand: undefined,
    confirmedBy: undefined,
    requestedAt: now,
    readyAt: undefined,
  };
  if (!(await insertRecovery(tx, recovery, { cancelHash: tokenHash }))) return refuse("RECOVERY_UNDER_WAY");
  await auditRecovery(tx, caller, "recovery.ask", recovery);
  const { name, email } = person;
  const to = await listNoticeRecipients(tx, personId);
  const secondVouch =
    organisationId === undefined
      ? ({ secondVoucher: "provider", readyAt: new Date(now.getTime() + staffWaitMs) } as const)
      : ({ secondVoucher: "organisation", readyAt: undefined } as const);
  sendAfterCommit(
    recoveryNotices(engine.siteUrls.portal, {
      to,
      name,
      email,
      vouchedBy: describeVoucher(caller),
      ...secondVouch,
      token,
    }),
  );
  return { answer: { recoveryId: recovery.recoveryId } };
}

/** `issueRecoveryCode` creates the code and sends it only to the person; the people who vouch never see it. */
async function issueRecoveryCode(
  tx: Tx,
  { caller, engine, now, sendAfterCommit }: MemberCall,
  recovery: Recovery,
  readyAt: Date,
): Promise<void> {
  const { recoveryId, expiresAt } = recovery;
  const code = formatRecoveryCode(randomBytes(codeBytes));
  const { personId } = caller.person;
  await confirmRecovery(tx, recoveryId, { personId, codeHash: hashRecoveryCode(code), now, readyAt });
  await auditRecovery(tx, caller, "recovery.confirm", { ...recovery, readyAt });
  const person = await findPerson(tx, recovery.personId);
  if (!person) throw new Error(`Recovery ${recoveryId} refers to a missing person.`);
  const isStaff =
    caller.membership.organisationId === recovery.organisationId && caller.membership.kind === "staff";
  const url = engine.siteUrls[isStaff ? "operator" : "portal"];
  sendAfterCommit([recoveryCodeEmail(url, { to: person.email, code, readyAt, expiresAt })]);
}

function describeVoucher({ person, membership }: MemberCaller): string {
  return membership.kind === "staff"
    ? `The gateway operator (${quoteName(person.name)})`
    : `${quoteName(person.name)} of ${quoteName(membership.organisation)}`;
}

type VouchRequest = Pick<Recovery, "personId" | "requestedAt">;

/** `secondRefusal` returns the reason why the caller cannot be the second of two people who vouch. */
function secondRefusal({ person }: MemberCaller, recovery: Recovery): Refusal | undefined {
  if (recovery.confirmedBy !== undefined || recovery.requestedByCommand !== undefined)
    return refuse("NOT_FOUND");
  return recovery.requestedBy === person.personId ? refuse("ANOTHER_PERSON_NEEDED") : undefined;
}

/** `vouchRefusal` returns the reason why the caller cannot vouch for this member of the caller's organisation. */
async function vouchRefusal(
  tx: Tx,
  { caller, now }: MemberCall,
  { personId, requestedAt }: VouchRequest,
): Promise<Refusal | undefined> {
  const { organisationId, kind } = caller.membership;
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
  return newcomerRefusal(tx, caller, { requestedAt, now });
}

/** `operatorRefusal` returns the reason why the caller, as staff, cannot vouch for this member of a merchant. */
async function operatorRefusal(
  tx: Tx,
  { caller, now }: MemberCall,
  { personId, requestedAt }: VouchRequest,
): Promise<Refusal | undefined> {
  if (personId === caller.person.personId) return refuse("ANOTHER_PERSON_NEEDED");
  if (!canVouch(await listOwnOrganisations(tx, personId), undefined))
    return refuse("RECOVERY_BY_STAFF_ADMINS");
  return newcomerRefusal(tx, caller, { requestedAt, now });
}

async function newcomerRefusal(
  tx: Tx,
  { person: { personId }, membership: { organisationId } }: MemberCaller,
  { requestedAt, now }: { readonly requestedAt: Date; readonly now: Date },
): Promise<Refusal | undefined> {
  const mayApprove = await canMemberApprove(tx, { organisationId, personId }, { requestedAt, now });
  return mayApprove ? undefined : refuse("APPROVER_TOO_NEW");
}

async function auditRecovery(
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

function toRecoveryList(recoveries: readonly (Recovery & Pick<Person, "name" | "email">)[]): {
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
      askedBy: recovery.requestedBy ?? `command ${recovery.requestedByCommand}`,
      askedAt: recovery.requestedAt.toISOString(),
      ...(recovery.readyAt && { readyAt: recovery.readyAt.toISOString() }),
      expiresAt: recovery.expiresAt.toISOString(),
    })),
  };
}
