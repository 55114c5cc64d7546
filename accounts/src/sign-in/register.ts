import { sha256 } from "../../../server/src/core/digest.ts";
import { refuse } from "../api/refusal.ts";
import { openRoute } from "../api/route.ts";
import { Body, Email, Name, EmptyObject, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { countAttempt } from "../credentials/attempt-limit.sql.ts";
import { existingAccountEmail, verificationEmail } from "../mail/email-templates.ts";
import { newId } from "../new-id.ts";
import { insertMembership } from "../organisations/membership.sql.ts";
import { insertOrganisation, listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { beginSession, newToken } from "../sessions/begin-session.tx.ts";
import { mailboxOf, toEmail } from "../people/person.ts";
import { canSignIn, findPersonByEmail, lockPerson, findOrInsertPerson } from "../people/person.sql.ts";
import { insertRegistration, consumeRegistration } from "./registration.sql.ts";

const linkLifetimeMs = 24 * 3_600_000;
const quarterMs = 15 * 60_000;
const networkLimit = { attemptsMax: 20, withinMs: quarterMs };
/** Limit of emails to one mailbox; the tag of the address is ignored. */
const mailboxLimit = { attemptsMax: 3, withinMs: quarterMs };

/**
 * Account enumeration: the response is the same for known and unknown addresses, and is sent before the address is
 * looked up. The request contains no password: an attacker who registers another person's address must not have set a
 * password when that person opens the link.
 */
export const register = openRoute({
  method: "POST",
  path: "/accounts/register",
  sites: ["portal"],
  summary: "Sends an email with a link that creates a new organisation.",
  request: Body({ email: Email, name: Name, organisation: Name }),
  response: EmptyObject,

  async handle(call, request) {
    const { engine, now, network } = call;
    const isWithinLimit = await call.transaction((tx) =>
      countAttempt(tx, `register from ${network}`, networkLimit, now),
    );
    if (!isWithinLimit) return refuse("TRY_LATER");
    const registration = { ...request, email: toEmail(request.email) };
    const { email } = registration;
    const { token, tokenHash } = newToken();

    engine.runInBackground(async () => {
      const message = await call.transaction(async (tx) => {
        if (!(await countAttempt(tx, `letter to ${mailboxOf(email)}`, mailboxLimit, now))) return undefined;
        const person = await findPersonByEmail(tx, email);
        if (person && (await canSignIn(tx, person.personId, engine.site)))
          return existingAccountEmail(engine.publicUrl, email);
        await insertRegistration(tx, tokenHash, registration, new Date(now.getTime() + linkLifetimeMs));
        return verificationEmail(engine.publicUrl, email, token);
      });
      if (message) await engine.sendEmail(message);
    });
    return { answer: {} };
  },
});

export const verifyEmail = openRoute({
  method: "POST",
  path: "/accounts/verify-email",
  sites: ["portal"],
  summary:
    "Accepts the link of a registration: creates person, organisation, and a session to set up a sign-in method.",
  request: Body({ token: TokenOrId }),
  response: EmptyObject,

  async handle(call, { token }) {
    const { now, network, browser, caller } = call;
    const { site } = call.engine;
    return call.transaction(async (tx) => {
      const registration = await consumeRegistration(tx, sha256(token), now);
      if (!registration) return refuse("LINK_INVALID");
      const { email, name, organisation } = registration;
      const person = await findOrInsertPerson(tx, { personId: newId("per"), email, name }, now);
      const { personId } = person;
      await lockPerson(tx, personId);
      // Email is not an authentication factor: a link grants no access to an account with a credential.
      if (await canSignIn(tx, personId, site)) return refuse("LINK_INVALID");

      const [organisationOfPerson] = await listOwnOrganisations(tx, personId);
      const organisationId = organisationOfPerson?.organisationId ?? newId("org");
      if (!organisationOfPerson) {
        await insertOrganisation(tx, { organisationId, kind: "merchant", name: organisation }, now);
        await insertMembership(tx, { organisationId, personId, role: "owner" }, now);
      }
      const actor = { kind: "person", name: personId, role: organisationOfPerson?.role ?? "owner" } as const;
      await insertAudit(tx, { actor, act: "registration.verify", subject: personId, organisationId });
      const cookie = await beginSession(tx, site, {
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
