import { actRequest } from "../../catalog/act-request.ts";
import { acts, type Act } from "../../catalog/acts.ts";
import { requestReader } from "../../contract/read-request.ts";
import type { View } from "../../contract/view.ts";
import { views } from "../../catalog/views.ts";
import type { Database } from "../../postgres/database.ts";
import { newRoute, type Gateway, type Route } from "../merchant-api/gateway.ts";
import {
  openPeopleEndpoint,
  type PeopleEndpoint,
  type PeopleOptions,
  type PersonRoute,
} from "./people-endpoint.ts";

export interface ConsoleOptions extends PeopleOptions {
  /** A separate connection pool with a short timeout, so that console users never take a merchant's connections. */
  readonly database: Database;
}

/** The console API of merchants' people: views and acts for their own merchants. */
export interface ConsoleEndpoint extends PeopleEndpoint<ConsoleRoute> {
  readonly gateway: Gateway;
  readonly database: Database;
}

/** A view or an act, with values that are derived from it once, at startup. */
export type ConsoleRoute = ViewRoute | ActRoute;

export interface ViewRoute extends PersonRoute {
  readonly view: View;
}

export interface ActRoute extends PersonRoute {
  readonly act: Act;
  /** The route of the act's operation in the merchants' API. */
  readonly route: Route;
}

export function openConsoleEndpoint(gateway: Gateway, options: ConsoleOptions): ConsoleEndpoint {
  const routes = [...views.map(routeToView), ...acts.map((act) => routeToAct(gateway, act))];
  const { database } = options;
  return { ...openPeopleEndpoint<ConsoleRoute>(gateway, "merchant", options, routes), gateway, database };
}

function routeToView(view: View): ViewRoute {
  const { name, permission, request } = view;
  return { path: `views/${name}`, permission, request, readRequest: requestReader(request), view };
}

function routeToAct(gateway: Gateway, act: Act): ActRoute {
  const { name, permission, operation } = act;
  const { database, environment } = gateway;
  const route = act.isPublic
    ? gateway.routes.get(operation.path)
    : newRoute(operation, database, environment);
  if (!route) throw new Error(`There is no operation ${operation.path}.`);
  // An act cannot be a batched operation: a batch of several merchants' writes cannot contain the audit row of one
  // person.
  if (route.batchWriter) throw new Error(`${operation.path} is written in batches, so it cannot be an act.`);
  const request = actRequest(act);
  return { path: `acts/${name}`, permission, request, readRequest: requestReader(request), act, route };
}
