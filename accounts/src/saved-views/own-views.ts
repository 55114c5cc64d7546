import { Type } from "typebox";
import { refuse } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { Body, Name, Nothing } from "../api/schemas.ts";
import type { MemberCaller } from "../sessions/session.ts";
import { deleteSavedView, listSavedViews, saveView, type Keeper } from "./saved-view.sql.ts";

/** Open redirect: only a path of the portal is accepted, so that a saved view cannot lead to another site. */
const Address = Type.String({ maxLength: 2000, pattern: "^/(?:sandbox|live)(?:[/?][\\x21-\\x7e]*)?$" });

/** The maximum number of saved views per person and organisation. A sidebar lists all of them. */
const viewsMax = 50;

export const listOwnViews = memberRoute({
  method: "GET",
  path: "/accounts/saved-views",
  summary: "The caller's saved views in this organisation.",
  who: "member",
  request: Nothing,
  response: Type.Object({
    savedViews: Type.Array(Type.Object({ name: Type.String(), address: Type.String() })),
  }),

  async handle({ caller, read }) {
    return { answer: { savedViews: [...(await listSavedViews(read, keeperOf(caller)))] } };
  },
});

export const saveOwnView = memberRoute({
  method: "POST",
  path: "/accounts/saved-views",
  summary: "Saves a URL of the portal under a name. An existing view with this name is replaced.",
  who: "member",
  request: Body({ name: Name, address: Address }),
  response: Nothing,

  async handle(call, view) {
    const keeper = keeperOf(call.caller);
    return call.transaction(async (tx) => {
      const saved = await listSavedViews(tx, keeper);
      const isNew = saved.every(({ name }) => name !== view.name);
      if (isNew && saved.length >= viewsMax) return refuse("TOO_MANY");
      await saveView(tx, keeper, view, call.now);
      return { answer: {} };
    });
  },
});

export const removeOwnView = memberRoute({
  method: "POST",
  path: "/accounts/saved-views/remove",
  summary: "Deletes a saved view.",
  who: "member",
  request: Body({ name: Name }),
  response: Nothing,

  async handle(call, { name }) {
    const wasThere = await call.transaction((tx) => deleteSavedView(tx, keeperOf(call.caller), name));
    return wasThere ? { answer: {} } : refuse("NOT_FOUND");
  },
});

function keeperOf({ place, person }: MemberCaller): Keeper {
  return { organisationId: place.organisationId, personId: person.personId };
}
