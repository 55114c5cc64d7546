import { Type } from "typebox";
import { refuse } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { Body, Name, EmptyObject } from "../api/schemas.ts";
import type { MemberCaller } from "../sessions/session.ts";
import { deleteSavedView, listSavedViews, saveView, type ViewOwner } from "./saved-view.sql.ts";

/** Open redirect: only a path of the portal is accepted, so that a saved view cannot lead to another site. */
const Address = Type.String({ maxLength: 2000, pattern: "^/(?:sandbox|live)(?:[/?][\\x21-\\x7e]*)?$" });

/** The maximum number of saved views per person and organisation. A sidebar lists all of them. */
const viewsMax = 50;

export const listOwnViews = memberRoute({
  method: "GET",
  path: "/accounts/saved-views",
  summary: "The caller's saved views in this organisation.",
  access: "member",
  request: EmptyObject,
  response: Type.Object({
    savedViews: Type.Array(Type.Object({ name: Type.String(), address: Type.String() })),
  }),

  async handle({ caller, read }) {
    return { answer: { savedViews: [...(await listSavedViews(read, viewOwnerOf(caller)))] } };
  },
});

export const saveOwnView = memberRoute({
  method: "POST",
  path: "/accounts/saved-views",
  summary: "Saves a URL of the portal under a name. An existing view with this name is replaced.",
  access: "member",
  request: Body({ name: Name, address: Address }),
  response: EmptyObject,

  async handle(call, view) {
    const owner = viewOwnerOf(call.caller);
    return call.transaction(async (tx) => {
      const saved = await listSavedViews(tx, owner);
      const isNew = saved.every(({ name }) => name !== view.name);
      if (isNew && saved.length >= viewsMax) return refuse("TOO_MANY");
      await saveView(tx, owner, view, call.now);
      return { answer: {} };
    });
  },
});

export const removeOwnView = memberRoute({
  method: "POST",
  path: "/accounts/saved-views/remove",
  summary: "Deletes a saved view.",
  access: "member",
  request: Body({ name: Name }),
  response: EmptyObject,

  async handle(call, { name }) {
    const wasDeleted = await call.transaction((tx) => deleteSavedView(tx, viewOwnerOf(call.caller), name));
    return wasDeleted ? { answer: {} } : refuse("NOT_FOUND");
  },
});

function viewOwnerOf({ membership, person }: MemberCaller): ViewOwner {
  return { organisationId: membership.organisationId, personId: person.personId };
}
