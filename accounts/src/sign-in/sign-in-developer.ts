import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../../../server/src/core/digest.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { openRoute } from "../api/route.ts";
import { Body, EmptyObject, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { newId } from "../new-id.ts";
import { insertClient } from "../organisations/client.sql.ts";
import { insertMembership } from "../organisations/membership.sql.ts";
import { findStaff, insertOrganisation, listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { beginSession } from "../sessions/begin-session.tx.ts";
import type { Site } from "../people/site.ts";
import { lockPerson, findOrInsertPerson } from "../people/person.sql.ts";

/** The developer is a different person at each site. */
const developers = {
  portal: { email: "developer@localhost", name: "Developer", role: "owner" },
  operator: { email: "operator@localhost", name: "Operator", role: "staff-admin" },
} as const satisfies Readonly<Record<Site, object>>;

/**
 * `signInDeveloper` signs in the developer who can read the terminal of `tollgate dev`. Other installations have no
 * secret for it.
 */
export const signInDeveloper = openRoute({
  method: "POST",
  path: "/accounts/developer",
  summary: "Signs in a developer with the link that `tollgate dev` prints.",
  request: Body({ token: TokenOrId }),
  response: EmptyObject,

  async handle(call, { token }) {
    const { now, network, browser, caller, engine } = call;
    const { developer, site } = engine;
    if (!developer || !timingSafeEqual(sha256(token), developer.secretHash)) return refuse("LINK_INVALID");
    return call.transaction(async (tx) => {
      const { role, ...person } = developers[site];
      const { personId } = await findOrInsertPerson(tx, { personId: newId("per"), ...person }, now);
      await lockPerson(tx, personId);
      const organisationId =
        site === "operator"
          ? await findOrCreateStaff(tx, personId, now)
          : await findOrCreateMerchant(tx, personId, developer.clientId, now);
      const actor = { kind: "person", name: personId, role } as const;
      await insertAudit(tx, { actor, act: "developer.sign-in", subject: personId, organisationId });
      const cookie = await beginSession(tx, site, {
        personId,
        method: "developer",
        now,
        network,
        browser,
        caller,
      });
      return { answer: {}, cookie };
    });
  },
});

/**
 * `findOrCreateMerchant` returns the organisation that owns the gateway's merchant, and creates it at the developer's first
 * sign-in.
 */
async function findOrCreateMerchant(tx: Tx, personId: string, clientId: string, now: Date): Promise<string> {
  const [own] = await listOwnOrganisations(tx, personId);
  if (own) return own.organisationId;
  const organisationId = newId("org");
  const name = "Coffee Lab";
  await insertOrganisation(tx, { organisationId, kind: "merchant", name }, now);
  await insertMembership(tx, { organisationId, personId, role: developers.portal.role }, now);
  await insertClient(tx, { clientId, environment: "sandbox", organisationId, name }, now);
  return organisationId;
}

/** `findOrCreateStaff` returns the staff organisation, and creates it at the first sign-in. */
async function findOrCreateStaff(tx: Tx, personId: string, now: Date): Promise<string> {
  const staff = await findStaff(tx);
  const organisationId = staff?.organisationId ?? newId("org");
  if (!staff) await insertOrganisation(tx, { organisationId, kind: "staff", name: "Operators" }, now);
  await insertMembership(tx, { organisationId, personId, role: developers.operator.role }, now);
  return organisationId;
}
