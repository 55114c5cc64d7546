import { Type } from "typebox";
import { permissionsOf } from "../../../server/src/people/role.ts";
import { refuse } from "../api/refusal.ts";
import { personalRoute } from "../api/route.ts";
import { Body, EmptyObject, RoleName, Time, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { listOwnOrganisations } from "../organisations/organisation.sql.ts";
import { organisationKindOf } from "../people/site.ts";
import { actorOf, isAlive, isSettingUp, sessionLifetimeMs, mayAct, methods } from "../sessions/session.ts";
import { chooseOrganisation, deleteSession, listSessions } from "../sessions/session.sql.ts";

const OrganisationSummary = Type.Object({
  organisationId: Type.String(),
  name: Type.String(),
  kind: Type.String(),
  role: RoleName,
  isLive: Type.Boolean(),
});

export const showCaller = personalRoute({
  method: "GET",
  path: "/accounts/me",
  summary: "The caller: person, organisations, and permissions of its role.",
  access: "newcomer",
  request: EmptyObject,
  response: Type.Object({
    person: Type.Object({ personId: Type.String(), email: Type.String(), name: Type.String() }),
    method: Type.String(),
    mustSetUp: Type.Boolean({
      description: "True if the person must set up a sign-in method first.",
    }),
    endsAt: Time,
    steppedUpAt: Type.Optional(Time),
    organisationId: Type.Optional(Type.String()),
    permissions: Type.Object({ sandbox: Type.Array(Type.String()), live: Type.Array(Type.String()) }),
    organisations: Type.Array(OrganisationSummary),
  }),

  async handle({ caller, engine, read }) {
    const { person, session, membership } = caller;
    const all = await listOwnOrganisations(read, person.personId);
    const organisations = all.filter(({ kind }) => kind === organisationKindOf(engine.site));
    // Permissions that the session's sign-in method does not allow are not returned.
    const usableRole = membership && mayAct(session.method, membership.kind) ? membership.role : undefined;
    return {
      answer: {
        person: { ...person },
        method: session.method,
        mustSetUp: isSettingUp(session),
        endsAt: new Date(session.createdAt.getTime() + sessionLifetimeMs).toISOString(),
        ...(session.steppedUpAt && { steppedUpAt: session.steppedUpAt.toISOString() }),
        ...(membership && { organisationId: membership.organisationId }),
        permissions: {
          sandbox: usableRole ? [...permissionsOf(usableRole, "sandbox")] : [],
          live: usableRole ? [...permissionsOf(usableRole, "live")] : [],
        },
        organisations: organisations.map(({ organisationId, name, kind, role, liveSince }) => ({
          organisationId,
          name,
          kind,
          role,
          isLive: kind === "staff" || liveSince !== undefined,
        })),
      },
    };
  },
});

export const listOwnSessions = personalRoute({
  method: "GET",
  path: "/accounts/sessions",
  summary: "The caller's sessions.",
  access: "person",
  request: EmptyObject,
  response: Type.Object({
    sessions: Type.Array(
      Type.Object({
        sessionId: Type.String(),
        isThis: Type.Boolean(),
        method: Type.Enum(methods),
        createdAt: Time,
        seenAt: Time,
        network: Type.String(),
        browser: Type.String(),
      }),
    ),
  }),

  async handle({ caller, read, now }) {
    const all = await listSessions(read, caller.person.personId);
    const alive = all.filter((session) => isAlive(session, now.getTime()));
    return {
      answer: {
        sessions: alive.map(({ sessionId, method, createdAt, seenAt, network, browser }) => ({
          sessionId,
          isThis: sessionId === caller.session.sessionId,
          method,
          createdAt: createdAt.toISOString(),
          seenAt: seenAt.toISOString(),
          network,
          browser,
        })),
      },
    };
  },
});

export const endSession = personalRoute({
  method: "POST",
  path: "/accounts/sessions/end",
  summary: "Ends one of the caller's sessions.",
  access: "person",
  request: Body({ sessionId: TokenOrId }),
  response: EmptyObject,

  async handle(call, { sessionId }) {
    const { caller } = call;
    return call.transaction(async (tx) => {
      if (!(await deleteSession(tx, caller.person.personId, sessionId))) return refuse("NOT_FOUND");
      const { organisationId } = caller.membership ?? {};
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "session.end",
        subject: sessionId,
        organisationId,
      });
      return { answer: {} };
    });
  },
});

export const signOut = personalRoute({
  method: "POST",
  path: "/accounts/sign-out",
  summary: "Ends this session.",
  access: "newcomer",
  request: EmptyObject,
  response: EmptyObject,

  async handle(call) {
    const { caller } = call;
    const { sessionId } = caller.session;
    await call.transaction(async (tx) => {
      await deleteSession(tx, caller.person.personId, sessionId);
      const { organisationId } = caller.membership ?? {};
      await insertAudit(tx, { actor: actorOf(caller), act: "sign-out", subject: sessionId, organisationId });
    });
    return { answer: {}, cookie: "none" };
  },
});

export const switchOrganisation = personalRoute({
  method: "POST",
  path: "/accounts/organisations/choose",
  summary: "Selects the organisation for which the caller acts.",
  access: "person",
  request: Body({ organisationId: TokenOrId }),
  response: EmptyObject,

  async handle(call, { organisationId }) {
    const { caller } = call;
    const ownOrganisations = await listOwnOrganisations(call.read, caller.person.personId);
    const organisationKind = organisationKindOf(call.engine.site);
    if (
      !ownOrganisations.some(
        (each) => each.organisationId === organisationId && each.kind === organisationKind,
      )
    )
      return refuse("NOT_FOUND");
    await call.transaction((tx) => chooseOrganisation(tx, caller.session.sessionId, organisationId));
    return { answer: {} };
  },
});
