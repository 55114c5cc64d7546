import type { KeyObject } from "node:crypto";
import type { TSchema } from "typebox";
import type { ReadRequest } from "../api/read-request.ts";
import { newLimiter, type Limiter } from "../core/limits.ts";
import type { ConsoleCode, ConsoleRefusal } from "../people/console-result.ts";
import type { PersonKind, Right } from "../people/role.ts";
import type { SecondPersonRules } from "../people/second-person.ts";
import { watchForgers, type Forgers } from "./forgers.ts";
import type { Gateway } from "./gateway.ts";
import { rememberSpentTokens, type SpentTokens } from "./spent-tokens.ts";

/** What the API for people needs of its process, whether that is `serve` or `serve-staff`. */
export type PeopleEdge = Pick<
  Gateway,
  "bodies" | "proxies" | "guard" | "environment" | "clock" | "log" | "logStranger"
>;

export interface PeopleOptions {
  readonly audience: string;
  /** Origins of the pages that may send requests. */
  readonly origins: readonly string[];
  /** The public keys of accounts, by `kid`; they may change while the process runs. */
  readonly keys: () => ReadonlyMap<string, KeyObject>;
  /** Which acts need a second person here. */
  readonly secondPerson: SecondPersonRules;
}

/** A route for people, with what is made from it once, at the start. */
export interface PersonRoute {
  readonly path: string;
  readonly right: Right;
  readonly request: TSchema;
  readonly readRequest: ReadRequest;
}

/** The outcome of a request: the answer's fields with their code, or a refusal. */
export type PersonRan = { readonly answered: object & { readonly code: ConsoleCode } } | ConsoleRefusal;

/** All that admission of a person needs. It accepts tokens of one kind of person. */
export interface PeopleDoor<Route extends PersonRoute> extends PeopleOptions {
  readonly kind: PersonKind;
  readonly gateway: PeopleEdge;
  /** By what is below `/console/`. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly limiter: Limiter;
  readonly forgers: Forgers;
  readonly spent: SpentTokens;
}

export function openPeopleDoor<Route extends PersonRoute>(
  gateway: PeopleEdge,
  kind: PersonKind,
  { audience, origins, keys, secondPerson }: PeopleOptions,
  routes: readonly Route[],
): PeopleDoor<Route> {
  const monotonicMs = (): number => performance.now();
  return {
    audience,
    origins,
    keys,
    secondPerson,
    kind,
    gateway,
    routes: new Map(routes.map((route) => [route.path, route])),
    limiter: newLimiter(monotonicMs),
    forgers: watchForgers(monotonicMs),
    spent: rememberSpentTokens(() => gateway.clock.now().getTime()),
  };
}
