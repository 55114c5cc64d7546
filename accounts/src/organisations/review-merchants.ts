import { Type } from "typebox";
import { refuse } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { Body, Nothing, Reason, Time, Word } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { actorOf } from "../sessions/session.ts";
import { listMerchants, openLive } from "./organisation.sql.ts";

export const showMerchants = memberRoute({
  method: "GET",
  path: "/accounts/merchants",
  summary: "Merchants' organisations, those that wait for live first, two hundred at a time.",
  who: "merchants.read",
  request: Body({ after: Type.Optional(Word) }),
  response: Type.Object({
    merchants: Type.Array(
      Type.Object({ organisationId: Type.String(), name: Type.String(), liveSince: Type.Optional(Time) }),
    ),
  }),

  async handle({ read }, { after }) {
    const merchants = await listMerchants(read, after);
    return {
      answer: {
        merchants: merchants.map(({ organisationId, name, liveSince }) => ({
          organisationId,
          name,
          ...(liveSince && { liveSince: liveSince.toISOString() }),
        })),
      },
    };
  },
});

/** Accounts remember the decision and its reason, in the audit of the merchant; what was looked at is not kept here. */
export const letIntoLive = memberRoute({
  method: "POST",
  path: "/accounts/merchants/open-live",
  summary: "Lets a merchant's organisation into live, after a review.",
  who: "merchants.review",
  request: Body({ organisationId: Word, reason: Reason }),
  response: Nothing,

  async handle(call, { organisationId, reason }) {
    const { caller, now } = call;
    return call.transaction(async (tx) => {
      if (!(await openLive(tx, organisationId, now))) return refuse("NOT_FOUND");
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "merchant.open-live",
        subject: organisationId,
        organisationId,
        reason,
      });
      return { answer: {} };
    });
  },
});
