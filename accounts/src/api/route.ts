import type { Static, TSchema } from "typebox";
import { rights, type Right } from "../../../server/src/people/role.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { doors, type Door } from "../sessions/door.ts";
import type { Caller, MemberCaller } from "../sessions/session.ts";
import type { Engine } from "../engine.ts";
import type { Letter } from "../mail/letters.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Access control of a route, from the widest to the narrowest: anyone; somebody who is setting up how to sign in;
 * a person who is signed in; one that acts for an organisation; one whose role there has a right.
 */
export type Who = "anyone" | "newcomer" | "person" | "member" | Right;

/** One address of the API. The router and the table test of roles are read off a list of these values. */
export interface Route {
  readonly method: "GET" | "POST";
  readonly path: `/accounts/${string}`;
  readonly summary: string;
  readonly who: Who;
  /** The doors at which it is served. */
  readonly doors: readonly Door[];
  /** The environment whose column of the table of rights counts. */
  readonly environment: "sandbox" | "live";
  /** Whether the person has to have proved itself again just before. Newcomers have nothing to prove it with. */
  readonly stepUp: boolean;
  /** Where it takes more than others do; it is read for those alone who may use the route. */
  readonly bodyBytesMax?: number;
  readonly request: TSchema;
  readonly response: TSchema;
  handle(call: Call & { readonly caller: Caller | undefined }, request: unknown): Promise<Handled>;
}

export interface Call {
  readonly engine: Engine;
  readonly now: Date;
  /** The caller's address, or its network in IPv6. */
  readonly network: string;
  readonly browser: string;
  /** What it was sent to an identity provider with. */
  readonly state: string | undefined;
  /** The token of its device cookie. */
  readonly device: string | undefined;
  /** Whether another person has approved this very request; see `checkApproval`. */
  readonly isApproved: boolean;
  read: Tx;
  /** Commits or throws. */
  transaction<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value>;
  /** Sends letters once the route is done, and so after the commit of what they tell; none if it refuses or fails. */
  tell(letters: readonly Letter[]): void;
}

/** The session cookie that goes with an answer: a new token, or none any more. */
export type Cookie = { readonly token: string } | "none";

interface Done<Answer> {
  readonly answer: Answer;
  readonly cookie?: Cookie;
  /** What the browser brings back from an identity provider, in a cookie of its own. */
  readonly state?: string;
  /** A new token for the device cookie. */
  readonly device?: string;
  /** A path of ours to which a browser is sent on. */
  readonly redirect?: string;
}

export type Handled<Answer = unknown> = Done<Answer> | Refusal;

type Declared<Request extends TSchema, Response extends TSchema> = Pick<
  Route,
  "method" | "path" | "summary"
> & {
  /** Both, when it is absent. */
  readonly doors?: readonly Door[];
  readonly request: Request;
  readonly response: Response;
};

interface Open<Request extends TSchema, Response extends TSchema> extends Declared<Request, Response> {
  /** A caller who is signed in nevertheless is told, so that its old session can be ended. */
  handle(
    call: Call & { readonly caller: Caller | undefined },
    request: Static<Request>,
  ): Promise<Handled<Static<Response>>>;
}

/** A route for anyone. */
export function openRoute<Request extends TSchema, Response extends TSchema>(
  declared: Open<Request, Response>,
): Route {
  return { doors, ...declared, who: "anyone", environment: "live", stepUp: false } as unknown as Route;
}

interface Personal<Request extends TSchema, Response extends TSchema> extends Declared<Request, Response> {
  readonly who: "newcomer" | "person";
  readonly stepUp?: boolean;
  handle(
    call: Call & { readonly caller: Caller },
    request: Static<Request>,
  ): Promise<Handled<Static<Response>>>;
}

/** A route about the caller itself. */
export function personalRoute<Request extends TSchema, Response extends TSchema>(
  declared: Personal<Request, Response>,
): Route {
  return { doors, stepUp: false, ...declared, environment: "live" } as unknown as Route;
}

interface Entitled<Request extends TSchema, Response extends TSchema> extends Declared<Request, Response> {
  readonly who: "member" | Right;
  readonly environment?: "sandbox" | "live";
  readonly bodyBytesMax?: number;
  handle(
    call: Call & { readonly caller: MemberCaller },
    request: Static<Request>,
  ): Promise<Handled<Static<Response>>>;
}

/** A route about the caller's organisation; the table of rights says whether it needs a step-up. */
export function memberRoute<Request extends TSchema, Response extends TSchema>(
  declared: Entitled<Request, Response>,
): Route {
  const stepUp = declared.who !== "member" && rights[declared.who].stepUp;
  return { doors, environment: "live", ...declared, stepUp } as unknown as Route;
}
