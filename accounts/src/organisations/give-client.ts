import { randomBytes } from "node:crypto";
import { Type } from "typebox";
import type { Environment } from "../../../server/src/postgres/migrate.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute, type Route } from "../api/route.ts";
import { Body, Name } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { actorOf } from "../sessions/session.ts";
import { insertClient, listClientIds } from "./client.sql.ts";

/** As many as a token carries. */
const clientsMax = 50;

/**
 * Gives the organisation a client id. The environment opens the client itself, for somebody whose token carries the id: so
 * no gateway has to believe a browser about whose client is whose.
 */
export function giveClient(environment: Environment): Route {
  return memberRoute({
    method: "POST",
    path: `/accounts/clients/${environment}`,
    doors: ["portal"],
    summary: `Gives the organisation another client id of ${environment}.`,
    who: "clients.open",
    environment,
    request: Body({ name: Name }),
    response: Type.Object({ clientId: Type.String() }),

    async handle(call, { name }) {
      const { caller, now } = call;
      const { organisationId, liveSince } = caller.place;
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
