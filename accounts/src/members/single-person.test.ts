import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client } from "pg";
import {
  personKindOf,
  merchantRoles,
  permissionsOf,
  staffRoles,
  type PersonKind,
  type Permission,
  type Role,
} from "../../../server/src/people/role.ts";
import { givenMember, startTestAccounts } from "../../test/test-accounts.ts";
import { newId } from "../new-id.ts";

/**
 * Dual approval: tests every role, with every other role as the target, on every path that adds permissions. One
 * person alone can never add permissions, and can never be both approvers. The organisation has another person who
 * could approve.
 */
const accounts = await startTestAccounts();
const database = new Client({ connectionString: accounts.superuserUrl });
await database.connect();
// The test harness drops the database at the end of the test file, which breaks this connection.
database.on("error", () => undefined);
/** One connection for all queries, because the test reads often. */
const sql = async <Row extends object>(
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> => (await database.query<Row>(text, [...values])).rows;

type Member = Awaited<ReturnType<typeof givenMember>>;
const rolesOf = { merchant: merchantRoles, staff: staffRoles } as const;
const leadingRole = { merchant: "owner", staff: "staff-admin" } as const;

interface Organisation {
  readonly members: ReadonlyMap<Role, Member>;
  readonly organisationId: string;
}

/** `createOrganisation` creates an organisation with a member of each role and two additional leaders. */
async function createOrganisation(kind: PersonKind): Promise<Organisation> {
  let organisationId = newId("org");
  const join = async (role: Role): Promise<Member> => {
    const member = await givenMember(accounts, { role, organisationId, steppedUpAgoMs: 0 });
    ({ organisationId } = member);
    return member;
  };
  const members = new Map<Role, Member>();
  for (const role of rolesOf[kind]) members.set(role, await join(role));
  await join(leadingRole[kind]);
  await join(leadingRole[kind]);
  return { members, organisationId };
}

const organisations = {
  merchant: await createOrganisation("merchant"),
  staff: await createOrganisation("staff"),
};

function memberOf({ members }: Organisation, role: Role): Member {
  return members.get(role) ?? assert.fail(role);
}

const addressOf = ({ personId }: Member): string => `${personId.toLowerCase()}@shop.example`;
const reason = "They called me.";

interface Attempt {
  readonly path: string;
  readonly body: object;
}

/**
 * `attemptsOn` returns every way to add permissions: to the target, to a new person, or by control of the target's
 * account.
 */
function attemptsOn(target: Member, kind: PersonKind): readonly Attempt[] {
  const { personId } = target;
  return [
    ...rolesOf[kind].flatMap((role) => [
      { path: "/accounts/people/change-role", body: { personId, role } },
      { path: "/accounts/invitations", body: { email: `${role}@elsewhere.example`, role } },
    ]),
    { path: "/accounts/recoveries", body: { personId, reason } },
    { path: "/accounts/recoveries/operator", body: { email: addressOf(target), reason } },
  ];
}

/** `allPermissionsOf` returns the permissions of a role in both environments. */
function allPermissionsOf(role: Role): ReadonlySet<string> {
  const permissionsIn = (environment: "sandbox" | "live"): readonly string[] =>
    permissionsOf(role, environment).map((permission) => `${environment} ${permission}`);
  return new Set([...permissionsIn("sandbox"), ...permissionsIn("live")]);
}

async function readRoles({ organisationId }: Organisation): Promise<ReadonlyMap<string, Role>> {
  const rows = await sql<{ person_id: string; role: Role }>(
    "select person_id, role from memberships where organisation_id = $1",
    [organisationId],
  );
  return new Map(rows.map(({ person_id: personId, role }) => [personId, role]));
}

/** `findGains` returns what one person alone has achieved that adds permissions. */
async function findGains(
  organisation: Organisation,
  before: ReadonlyMap<string, Role>,
): Promise<readonly string[]> {
  const { organisationId } = organisation;
  const raised = [...(await readRoles(organisation))].filter(([personId, role]) => {
    const previousRole = before.get(personId);
    return !previousRole || !allPermissionsOf(role).isSubsetOf(allPermissionsOf(previousRole));
  });
  const invitations = await sql<{ role: string }>("select role from invitations where organisation_id = $1", [
    organisationId,
  ]);
  const usable = await sql<{ person_id: string }>(
    "select person_id from recoveries where ready_at is not null",
  );
  return [
    ...raised.map(([, role]) => `a member became ${role}`),
    ...invitations.map(({ role }) => `an invitation as ${role}`),
    ...usable.map(({ person_id: personId }) => `a usable recovery of ${personId}`),
  ];
}

/** `reset` undoes the changes of attempts, so that each begins with the same roles. */
async function reset({ organisationId, members }: Organisation): Promise<void> {
  await sql(
    `with recovered as (delete from recoveries), tried as (delete from tries),
       invited as (delete from invitations where organisation_id = $1)
     update memberships as m set role = before.role, role_since = m.since - interval '1 second'
     from unnest($2::text[], $3::text[]) as before (person_id, role)
     where m.organisation_id = $1 and m.person_id = before.person_id`,
    [organisationId, [...members.values()].map(({ personId }) => personId), [...members.keys()]],
  );
}

for (const kind of ["merchant", "staff"] as const)
  describe(`${kind}: one person alone raises no permissions`, () => {
    const organisation = organisations[kind];
    for (const role of rolesOf[kind])
      for (const targetRole of rolesOf[kind])
        test(`${role} acts on ${targetRole}`, async () => {
          const [actor, target] = [memberOf(organisation, role), memberOf(organisation, targetRole)];
          const raised: string[] = [];
          const before = await readRoles(organisation);
          for (const { path, body } of attemptsOn(target, kind)) {
            const { status, json } = await actor.browser.post(path, body);
            if (status !== 200) continue;
            // The person also tries to confirm the recovery that the same person requested.
            if (json["recoveryId"] !== undefined)
              for (const confirm of ["/accounts/recoveries/confirm", "/accounts/recoveries/operator/confirm"])
                await actor.browser.post(confirm, { recoveryId: json["recoveryId"] });
            raised.push(...(await findGains(organisation, before)).map((gain) => `${path}: ${gain}`));
            await reset(organisation);
          }
          raised.push(...(await findGains(organisation, before)));
          assert.deepEqual(raised, []);
        });
  });

for (const kind of ["merchant", "staff"] as const)
  describe(`${kind}: one person is never both approvers`, () => {
    const organisation = organisations[kind];
    for (const role of rolesOf[kind])
      for (const targetRole of rolesOf[kind])
        test(`${role} requests, ${targetRole} approves`, async () => {
          const [requester, other] = [memberOf(organisation, role), memberOf(organisation, targetRole)];
          const permissions = permissionsOf(role, "live");
          const permission: Permission = permissions.includes("people.invite")
            ? "people.invite"
            : (permissions[0] ?? assert.fail());
          const approvalRequest = await requester.browser.post("/accounts/approvals", {
            environment: "live",
            permission,
            act: "POST /accounts/invitations",
            request: { email: "x@elsewhere.example", role },
            reason,
          });
          const { approvalId } = approvalRequest.json;
          const own = await requester.browser.post("/accounts/approvals/confirm", { approvalId });
          assert.equal(own.json["refusal"], "ANOTHER_PERSON_NEEDED");
          const confirmed = await other.browser.post("/accounts/approvals/confirm", { approvalId });
          const isAllowed = role !== targetRole && permissionsOf(targetRole, "live").includes(permission);
          assert.equal(confirmed.status === 200, isAllowed, JSON.stringify(confirmed.json));
        });
  });

test("every role is tested", () => {
  for (const role of [...merchantRoles, ...staffRoles])
    assert.ok(rolesOf[personKindOf(role)].some((each) => each === role));
});
