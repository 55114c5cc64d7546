import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import { memberRoute, type Call } from "../api/route.ts";
import { Body, Email, Nothing, Reason, Time, Word } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { Act } from "../audit/audit.ts";
import { recoveryLetters } from "../mail/recovery-letters.ts";
import { newId } from "../new-id.ts";
import { lockMemberships } from "../organisations/membership.sql.ts";
import { roleRefusal } from "../organisations/organisation.ts";
import { listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { toEmail, type Person } from "../people/person.ts";
import { findPerson, findPersonByEmail } from "../people/person.sql.ts";
import { newToken } from "../sessions/begin-session.tx.ts";
import { actorOf, type MemberCaller } from "../sessions/session.ts";
import {
  codeBytes,
  codeHash,
  codeText,
  operatorLastsMs,
  operatorWaitsMs,
  vouchedLastsMs,
  type Recovery,
} from "./recovery.ts";
import { confirmRecovery, insertRecovery, listRecoveries, lockRecovery } from "./recovery.sql.ts";
import { listWhomToTell } from "./whom-to-tell.sql.ts";

type MemberCall = Call & { readonly caller: MemberCaller };

const Code = Type.String({
  description: "Shown once. The person types it, with that of whoever else vouches.",
});

export const vouchFor = memberRoute({
  method: "POST",
  path: "/accounts/recoveries",
  summary:
    "Vouches for a person of the organisation who has lost the way to sign in; a second person has to as well.",
  who: "people.change",
  request: Body({ personId: Word, reason: Reason }),
  response: Type.Object({ recoveryId: Type.String(), code: Code }),

  async handle(call, { personId, reason }) {
    const { caller, now } = call;
    const { organisationId } = caller.place;
    const expiresAt = new Date(now.getTime() + vouchedLastsMs);
    const begun = await call.transaction(async (tx) => {
      const refusal = await vouchRefusal(tx, caller, personId);
      if (refusal) return refusal;
      return begin(tx, call, { personId, organisationId, reason, readyAt: undefined, expiresAt });
    });
    if ("refusal" in begun) return begun;
    const { recoveryId, code } = begun;
    return { answer: { recoveryId, code } };
  },
});

export const vouchAsWell = memberRoute({
  method: "POST",
  path: "/accounts/recoveries/confirm",
  summary:
    "Vouches as the second person; from then on the two codes open the way to a new passkey or password.",
  who: "people.change",
  request: Body({ recoveryId: Word }),
  response: Type.Object({ code: Code }),

  async handle(call, { recoveryId }) {
    const { caller, now } = call;
    const { personId } = caller.person;
    const { organisationId } = caller.place;
    const random = randomBytes(codeBytes);
    return call.transaction(async (tx) => {
      const recovery = await lockRecovery(tx, recoveryId, now);
      if (!recovery || recovery.organisationId !== organisationId) return refuse("NOT_FOUND");
      if (recovery.confirmedBy !== undefined) return refuse("NOT_FOUND");
      if (recovery.askedBy === personId) return refuse("ANOTHER_PERSON_NEEDED");
      const refusal = await vouchRefusal(tx, caller, recovery.personId);
      if (refusal) return refusal;
      await confirmRecovery(tx, recoveryId, { personId, codeHash: codeHash(codeText(random)), now });
      await write(tx, caller, "recovery.confirm", recovery);
      return { answer: { code: codeText(random) } };
    });
  },
});

/** For those who have no second admin, or work for several organisations. Everybody is told at once, and has a day. */
export const vouchAsOperator = memberRoute({
  method: "POST",
  path: "/accounts/recoveries/operator",
  doors: ["operator"],
  summary:
    "Vouches for a person as the operator. The code opens nothing for 24 hours, in which the person and all owners can stop it.",
  who: "people.recover",
  request: Body({ email: Email, reason: Reason }),
  response: Type.Object({ recoveryId: Type.String(), code: Code, readyAt: Time }),

  async handle(call, request) {
    const { now, caller } = call;
    const readyAt = new Date(now.getTime() + operatorWaitsMs);
    const expiresAt = new Date(now.getTime() + operatorLastsMs);
    const begun = await call.transaction(async (tx) => {
      const person = await findPersonByEmail(tx, toEmail(request.email));
      if (!person) return refuse("NOT_FOUND");
      const { personId } = person;
      if (personId === caller.person.personId) return refuse("ANOTHER_PERSON_NEEDED");
      return begin(tx, call, {
        personId,
        organisationId: undefined,
        reason: request.reason,
        readyAt,
        expiresAt,
      });
    });
    if ("refusal" in begun) return begun;
    const { recoveryId, code } = begun;
    return { answer: { recoveryId, code, readyAt: readyAt.toISOString() } };
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
  summary: "The people of the organisation who are on their way back.",
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
  summary: "The people for whom the operator vouches.",
  who: "merchants.read",
  request: Nothing,
  response: RecoveriesShown,

  async handle({ read, now }) {
    return { answer: shown(await listRecoveries(read, undefined, now)) };
  },
});

interface Beginning extends Pick<
  Recovery,
  "personId" | "organisationId" | "reason" | "readyAt" | "expiresAt"
> {}

async function begin(
  tx: Tx,
  { caller, engine, now, tell }: MemberCall,
  beginning: Beginning,
): Promise<{ readonly recoveryId: string; readonly code: string } | Refusal> {
  const { personId, readyAt } = beginning;
  const person = await findPerson(tx, personId);
  if (!person) return refuse("NOT_FOUND");
  const code = codeText(randomBytes(codeBytes));
  const { token, tokenHash } = newToken();
  const recovery = {
    ...beginning,
    recoveryId: newId("rec"),
    askedBy: caller.person.personId,
    confirmedBy: undefined,
    askedAt: now,
  };
  if (!(await insertRecovery(tx, recovery, { codeHash: codeHash(code), cancelHash: tokenHash })))
    return refuse("RECOVERY_UNDER_WAY");
  await write(tx, caller, "recovery.ask", recovery);
  const { name, email } = person;
  const to = await listWhomToTell(tx, personId);
  const by = wordsFor(caller);
  tell(recoveryLetters(engine.urls.portal, { to, name, email, by, readyAt, token }));
  return { recoveryId: recovery.recoveryId, code };
}

function wordsFor({ person, place }: MemberCaller): string {
  return place.kind === "staff"
    ? `Your provider (${person.name})`
    : `${person.name} of ${place.organisation}`;
}

/**
 * Why the caller may not vouch for this person. An organisation speaks for people who work for it alone: whoever invites somebody must
 * not get at what that person sees elsewhere.
 */
async function vouchRefusal(tx: Tx, caller: MemberCaller, personId: string): Promise<Refusal | undefined> {
  const { organisationId, kind } = caller.place;
  if (personId === caller.person.personId) return refuse("ANOTHER_PERSON_NEEDED");
  const roles = await lockMemberships(tx, organisationId);
  const [own, role] = [roles.get(caller.person.personId), roles.get(personId)];
  if (!own || !role) return refuse("NOT_FOUND");
  const denied = roleRefusal(own, kind, role);
  if (denied) return refuse(denied);
  const all = await listOwnOrganisations(tx, personId);
  return all.length > 1 ? refuse("RECOVERY_BY_OPERATOR") : undefined;
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
      askedBy: recovery.askedBy,
      askedAt: recovery.askedAt.toISOString(),
      ...(recovery.readyAt && { readyAt: recovery.readyAt.toISOString() }),
      expiresAt: recovery.expiresAt.toISOString(),
    })),
  };
}
