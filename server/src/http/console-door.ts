import { actRequest } from "../api/act-request.ts";
import { acts, type Act } from "../api/acts.ts";
import { requestReader } from "../api/read-request.ts";
import type { View } from "../api/view.ts";
import { views } from "../api/views.ts";
import type { Database } from "../postgres/database.ts";
import { routeTo, type Gateway, type Route } from "./gateway.ts";
import { openPeopleDoor, type PeopleDoor, type PeopleOptions, type PersonRoute } from "./people-door.ts";

export interface ConsoleOptions extends PeopleOptions {
  /** Connections of its own, with a short timeout: people who browse never take a merchant's. */
  readonly database: Database;
}

/** The console of merchants' people: views and acts of their own merchants. */
export interface ConsoleDoor extends PeopleDoor<ConsoleRoute> {
  readonly gateway: Gateway;
  readonly database: Database;
}

/** A view or an act, with what is made from it once, at the start. */
export type ConsoleRoute = ViewRoute | ActRoute;

export interface ViewRoute extends PersonRoute {
  readonly view: View;
}

export interface ActRoute extends PersonRoute {
  readonly act: Act;
  /** The same route that merchants' systems call, if they may. */
  readonly route: Route;
}

export function openConsoleDoor(gateway: Gateway, options: ConsoleOptions): ConsoleDoor {
  const routes = [...views.map(routeToView), ...acts.map((act) => routeToAct(gateway, act))];
  const { database } = options;
  return { ...openPeopleDoor<ConsoleRoute>(gateway, "merchant", options, routes), gateway, database };
}

function routeToView(view: View): ViewRoute {
  const { name, right, request } = view;
  return { path: `views/${name}`, right, request, readRequest: requestReader(request), view };
}

function routeToAct(gateway: Gateway, act: Act): ActRoute {
  const { name, right, operation } = act;
  const { database, environment } = gateway;
  const route = act.isPublic ? gateway.routes.get(operation.path) : routeTo(operation, database, environment);
  if (!route) throw new Error(`There is no operation ${operation.path}.`);
  // A batch of many merchants' writes has no place for one person's audit row.
  if (route.first) throw new Error(`${operation.path} is written in batches, and nobody's act.`);
  const request = actRequest(act);
  return { path: `acts/${name}`, right, request, readRequest: requestReader(request), act, route };
}
