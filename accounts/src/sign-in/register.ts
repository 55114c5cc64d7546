import { sha256 } from "../../../server/src/core/digest.ts";
import { refuse } from "../api/refusal.ts";
import { openRoute } from "../api/route.ts";
import { Body, Email, Name, Nothing, Word } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { countAttempt } from "../credentials/attempt-limit.sql.ts";
import { knownAddressLetter, verifyLetter } from "../mail/emails.ts";
import { newId } from "../new-id.ts";
import { insertMembership } from "../organisations/membership.sql.ts";
import { insertOrganisation, listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { beginSession, newToken } from "../sessions/begin-session.tx.ts";
import { mailboxOf, toEmail } from "../people/person.ts";
import { canSignIn, findPersonByEmail, lockPerson, rememberPerson } from "../people/person.sql.ts";
import { insertRegistration, takeRegistration } from "./registration.sql.ts";

const linkLastsMs = 24 * 3_600_000;
const quarterMs = 15 * 60_000;
const networkLimit = { most: 20, withinMs: quarterMs };
/** Limit of emails to one mailbox; the tag of the address is ignored. */
const letterLimit = { most: 3, withinMs: quarterMs };

/**
 * Account enumeration: the response is the same for known and unknown addresses, and is sent before the address is
 * looked up. The request contains no password: an attacker who registers another person's address must not have set a
 * password when that person opens the link.
 */
export const register = openRoute({
  method: "POST",
  path: "/accounts/register",
  doors: ["portal"],
  summary: "Sends an email with a link that creates a new organisation.",
  request: Body({ email: Email, name: Name, organisation: Name }),
  response: Nothing,

  async handle(call, request) {
    const { engine, now, network } = call;
    const mayTry = await call.transaction((tx) =>
      countAttempt(tx, `register from ${network}`, networkLimit, now),
    );
    if (!mayTry) return refuse("TRY_LATER");
    const registration = { ...request, email: toEmail(request.email) };
    const { email } = registration;
    const { token, tokenHash } = newToken();

    engine.later(async () => {
      const letter = await call.transaction(async (tx) => {
        if (!(await countAttempt(tx, `letter to ${mailboxOf(email)}`, letterLimit, now))) return undefined;
        const person = await findPersonByEmail(tx, email);
        if (person && (await canSignIn(tx, person.personId, engine.door)))
          return knownAddressLetter(engine.publicUrl, email);
        await insertRegistration(tx, tokenHash, registration, new Date(now.getTime() + linkLastsMs));
        return verifyLetter(engine.publicUrl, email, token);
      });
      if (letter) await engine.send(letter);
    });
    return { answer: {} };
  },
});

export const verifyEmail = openRoute({
  method: "POST",
  path: "/accounts/verify-email",
  doors: ["portal"],
  summary:
    "Accepts the link of a registration: creates person, organisation, and a session to set up a sign-in method.",
  request: Body({ token: Word }),
  response: Nothing,

  async handle(call, { token }) {
    const { now, network, browser, caller } = call;
    const { door } = call.engine;
    return call.transaction(async (tx) => {
      const registration = await takeRegistration(tx, sha256(token), now);
      if (!registration) return refuse("LINK_INVALID");
      const { email, name, organisation } = registration;
      const person = await rememberPerson(tx, { personId: newId("per"), email, name }, now);
      const { personId } = person;
      await lockPerson(tx, personId);
      // Email is not an authentication factor: a link grants no access to an account with a credential.
      if (await canSignIn(tx, personId, door)) return refuse("LINK_INVALID");

      const [own] = await listOwnOrganisations(tx, personId);
      const organisationId = own?.organisationId ?? newId("org");
      if (!own) {
        await insertOrganisation(tx, { organisationId, kind: "merchant", name: organisation }, now);
        await insertMembership(tx, { organisationId, personId, role: "owner" }, now);
      }
      const actor = { kind: "person", name: personId, role: own?.role ?? "owner" } as const;
      await insertAudit(tx, { actor, act: "registration.verify", subject: personId, organisationId });
      const cookie = await beginSession(tx, door, {
        personId,
        method: "link",
        now,
        network,
        browser,
        caller,
      });
      return { answer: {}, cookie };
    });
  },
});
