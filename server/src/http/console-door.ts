import type { KeyObject } from "node:crypto";
import type { TSchema } from "typebox";
import { actRequest } from "../api/act-request.ts";
import { acts, type Act } from "../api/acts.ts";
import { requestReader, type ReadRequest } from "../api/read-request.ts";
import type { View } from "../api/view.ts";
import { views } from "../api/views.ts";
import { newLimiter, type Limiter } from "../core/limits.ts";
import type { ConsoleRefusal } from "../people/console-result.ts";
import type { PersonToken } from "../people/person-token.ts";
import type { Right } from "../people/role.ts";
import type { SecondPersonRules } from "../people/second-person.ts";
import type { Database } from "../postgres/database.ts";
import { watchForgers, type Forgers } from "./forgers.ts";
import { routeTo, type Gateway, type Route } from "./gateway.ts";
import { rememberSpentTokens, type SpentTokens } from "./spent-tokens.ts";

export interface ConsoleOptions {
  readonly audience: string;
  /** Where the portal's pages come from. */
  readonly origins: readonly string[];
  /** The public keys of accounts, by `kid`; they may change while the process runs. */
  readonly keys: () => ReadonlyMap<string, KeyObject>;
  /** The operator's console, for staff alone: where its pages come from, and what they may ask. */
  readonly staff: { readonly origins: readonly string[]; readonly routes: readonly ServedStaffRoute[] };
  /** Connections of its own, with a short timeout: people who browse never take a merchant's. */
  readonly database: Database;
  /** Which acts need a second person here. */
  readonly secondPerson: SecondPersonRules;
}

/** All that the second front door works with. */
export interface ConsoleDoor extends ConsoleOptions {
  readonly gateway: Gateway;
  /** By what is below `/console/`. */
  readonly routes: ReadonlyMap<string, ConsoleRoute>;
  readonly limiter: Limiter;
  readonly forgers: Forgers;
  readonly spent: SpentTokens;
}

/** A view or an act, with what is made from it once, at the start. */
export type ConsoleRoute = ViewRoute | ActRoute | ServedStaffRoute;

interface AnyRoute {
  readonly path: string;
  readonly right: Right;
  readonly readRequest: ReadRequest;
}

export interface ViewRoute extends AnyRoute {
  readonly view: View;
}

export interface ActRoute extends AnyRoute {
  readonly act: Act;
  /** The same route that merchants' systems call, if they may. */
  readonly route: Route;
}

/** What staff ask or do across merchants. The operators' commands know how; this is what the door has to know of it. */
export interface ServedStaffRoute extends AnyRoute {
  /** Whether it changes something: a token serves it once. */
  readonly acts: boolean;
  readonly request: TSchema;
  /** Whether this request needs approval here, whatever `secondPerson` says: the rule of the command line. */
  needsApproval(request: object): boolean;
  run(person: PersonToken, request: object): Promise<object | ConsoleRefusal>;
}

export function openConsoleDoor(gateway: Gateway, options: ConsoleOptions): ConsoleDoor {
  const { monotonicMs } = gateway.runner;
  const all = [
    ...views.map(routeToView),
    ...acts.map((act) => routeToAct(gateway, act)),
    ...options.staff.routes,
  ];
  return {
    ...options,
    gateway,
    routes: new Map(all.map((route) => [route.path, route])),
    limiter: newLimiter(monotonicMs),
    forgers: watchForgers(monotonicMs),
    spent: rememberSpentTokens(() => gateway.clock.now().getTime()),
  };
}

function routeToView(view: View): ViewRoute {
  const { name, right, request } = view;
  return { path: `views/${name}`, right, readRequest: requestReader(request), view };
}

function routeToAct(gateway: Gateway, act: Act): ActRoute {
  const { name, right, operation } = act;
  const { database, environment } = gateway;
  const route = act.isPublic ? gateway.routes.get(operation.path) : routeTo(operation, database, environment);
  if (!route) throw new Error(`There is no operation ${operation.path}.`);
  // A batch of many merchants' writes has no place for one person's audit row.
  if (route.first) throw new Error(`${operation.path} is written in batches, and nobody's act.`);
  return { path: `acts/${name}`, right, readRequest: requestReader(actRequest(act)), act, route };
}
