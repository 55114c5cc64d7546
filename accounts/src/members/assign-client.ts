import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import type { Environment } from "../../../server/src/postgres/migrate.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute, type Route } from "../api/route.ts";
import { Body, Name } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { actorOf } from "../sessions/session.ts";
import { insertClient, listClientIds } from "../organisations/client.sql.ts";

/** The maximum number of client ids in a token. */
const clientsMax = 50;

/**
 * `assignClient` assigns a client id to the organisation. The environment creates the client when a person with this id
 * in the token registers a key. So no gateway has to trust a browser about the owner of a client.
 */
export function assignClient(environment: Environment): Route {
  return memberRoute({
    method: "POST",
    path: `/accounts/clients/${environment}`,
    sites: ["portal"],
    summary: `Assigns a new client id in ${environment} to the organisation.`,
    access: "clients.open",
    environment,
    request: Body({ name: Name }),
    response: Type.Object({ clientId: Type.String() }),

    async handle(call, { name }) {
      const { caller, now } = call;
      const { organisationId, liveSince } = caller.membership;
      if (environment === "live" && !liveSince) return refuse("LIVE_NOT_OPEN");
      const clientId = newClientId(environment);
      return call.transaction(async (tx) => {
        if ((await listClientIds(tx, organisationId, environment)).length >= clientsMax)
          return refuse("TOO_MANY");
        await insertClient(tx, { clientId, environment, organisationId, name }, now);
        await insertAudit(tx, {
          actor: actorOf(caller),
          act: "client.give",
          subject: clientId,
          organisationId,
          after: { environment, name },
        });
        return { answer: { clientId } };
      });
    },
  });
}

function newClientId(environment: Environment): string {
  const random = randomBytes(12).toString("hex").toUpperCase();
  return environment === "sandbox" ? `SANDBOX_${random}` : random;
}
