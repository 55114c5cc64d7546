import type { Static, TSchema } from "typebox";
import { permissions, type Permission } from "../../../server/src/people/role.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { doors, type Door } from "../people/site.ts";
import type { Caller, MemberCaller } from "../sessions/session.ts";
import type { Engine } from "../engine.ts";
import type { Letter } from "../mail/emails.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Access control of a route, from the widest to the narrowest: everyone; a person who sets up a sign-in method; a
 * person who is signed in; a member who acts for an organisation; a member whose role has a permission.
 */
export type Who = "anyone" | "newcomer" | "person" | "member" | Permission;

/** One endpoint of the API. The router and the test of all roles use the same list of routes. */
export interface Route {
  readonly method: "GET" | "POST";
  readonly path: `/accounts/${string}`;
  readonly summary: string;
  readonly who: Who;
  /** The sites (portal or operator console) that serve the route. */
  readonly doors: readonly Door[];
  /** The environment whose permissions apply. */
  readonly environment: "sandbox" | "live";
  /** True if the route requires re-authentication. Newcomers have no credential for it. */
  readonly stepUp: boolean;
  /** A larger body limit, if the route needs one. A large body is read only for callers who may use the route. */
  readonly bodyBytesMax?: number;
  readonly request: TSchema;
  readonly response: TSchema;
  handle(call: Call & { readonly caller: Caller | undefined }, request: unknown): Promise<Handled>;
}

export interface Call {
  readonly engine: Engine;
  readonly now: Date;
  /** The caller's IPv4 address, or its IPv6 network. */
  readonly network: string;
  readonly browser: string;
  /** The state cookie of a sign-in at an identity provider. */
  readonly state: string | undefined;
  /** The token of the device cookie. */
  readonly device: string | undefined;
  /** True if another person has approved this exact request; see `checkApproval`. */
  readonly isApproved: boolean;
  read: Tx;
  /** Runs `work` in a transaction that commits, or rolls back if it throws. */
  transaction<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value>;
  /** Sends emails after the route has committed; sends none if the route refuses or fails. */
  tell(letters: readonly Letter[]): void;
}

/** The session cookie of a response: a new token, or the removal of the cookie. */
export type Cookie = { readonly token: string } | "none";

interface Done<Answer> {
  readonly answer: Answer;
  readonly cookie?: Cookie;
  /** The state of a sign-in at an identity provider, for a separate cookie. */
  readonly state?: string;
  /** A new token for the device cookie. */
  readonly device?: string;
  /** A path on this host to which the browser is redirected. */
  readonly redirect?: string;
}

export type Handled<Answer = unknown> = Done<Answer> | Refusal;

type Declared<Request extends TSchema, Response extends TSchema> = Pick<
  Route,
  "method" | "path" | "summary"
> & {
  /** The sites that serve the route; both sites if the field is absent. */
  readonly doors?: readonly Door[];
  readonly request: Request;
  readonly response: Response;
};

interface Open<Request extends TSchema, Response extends TSchema> extends Declared<Request, Response> {
  /** `caller` is set if the caller is signed in, so that the old session can be ended. */
  handle(
    call: Call & { readonly caller: Caller | undefined },
    request: Static<Request>,
  ): Promise<Handled<Static<Response>>>;
}

/** `openRoute` creates a route that everyone may use. */
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

/** `personalRoute` creates a route about the caller's own account. */
export function personalRoute<Request extends TSchema, Response extends TSchema>(
  declared: Personal<Request, Response>,
): Route {
  return { doors, stepUp: false, ...declared, environment: "live" } as unknown as Route;
}

interface Entitled<Request extends TSchema, Response extends TSchema> extends Declared<Request, Response> {
  readonly who: "member" | Permission;
  readonly environment?: "sandbox" | "live";
  readonly bodyBytesMax?: number;
  handle(
    call: Call & { readonly caller: MemberCaller },
    request: Static<Request>,
  ): Promise<Handled<Static<Response>>>;
}

/**
 * `memberRoute` creates a route about the caller's organisation. The table of permissions says whether it requires
 * re-authentication.
 */
export function memberRoute<Request extends TSchema, Response extends TSchema>(
  declared: Entitled<Request, Response>,
): Route {
  const stepUp = declared.who !== "member" && permissions[declared.who].stepUp;
  return { doors, environment: "live", ...declared, stepUp } as unknown as Route;
}
