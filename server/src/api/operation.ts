import type { Static, TSchema } from "typebox";
import type { IdKind } from "../core/id.ts";
import type { Refusal, ResultCode } from "../core/result.ts";
import type { SecretKeeper } from "../core/secret-keeper.ts";
import type { HeldJob, JobKey } from "../jobs/job.ts";
import type { Tx } from "../postgres/sql.ts";
import type { ConnectorTerms } from "../wallets/connector.ts";

export type Area = "payments" | "authorizations" | "merchants" | "tollgate";

/** What every operation is given. The edge has already checked the signature, the time and the schema. */
export interface Call {
  readonly tx: Tx;
  readonly environment: string;
  readonly clientId: string;
  readonly bucket: number;
  /** On the merchant's clock: the database's, and in the sandbox so far ahead of it as the merchant likes. */
  readonly now: Date;
  readonly aheadMs: number;
  /** True in the sandbox on the plain path, which is for in-store payments only. */
  readonly inStoreOnly: boolean;
  readonly newId: (kind: IdKind) => string;
  /** Of the fields that have to be equal when a request is repeated. */
  readonly fingerprint: (request: object, fields: readonly string[]) => Buffer;
  /** The wallet that serves a payment method, or undefined when none does. */
  readonly connectorFor: (paymentMethodType: string) => string | undefined;
  /** All methods that wallets name; `*` when one serves whatever no other names. */
  readonly servedMethods: () => readonly string[];
  /** False while a wallet does not answer: nothing new is promised in its name. */
  readonly isReachable: (connector: string) => boolean;
  /** What a wallet allows. */
  readonly termsOf: (connector: string) => ConnectorTerms;
  /** Wraps what only a wallet, or only the merchant, may see, for as long as it is needed. */
  readonly secrets: SecretKeeper;
  /** Schemes of the merchant's own apps, to which buyers may return. */
  readonly linkSchemes: readonly string[];
  /** What the merchant pays us of every payment, by its contract. */
  readonly feeBasisPoints: number;
  /** The page on which the buyer pays. */
  readonly checkoutUrl: (paymentId: string) => string;
}

/** What an operation says of its record: a result, and the fields of its response. */
export type Answer<Response extends TSchema, Code extends ResultCode> = {
  readonly code: Code;
} & Partial<Static<Response>>;

/** What all operations declare. */
interface Declared<Request extends TSchema, Response extends TSchema, Code extends ResultCode, Record> {
  /** Below `/ams/api/v1/`, or `/ams/sandbox/api/v1/`. */
  readonly path: `${Area}/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly request: Request;
  readonly response: Response;
  /** Every code that it may give by itself; those of the front door come on top. */
  readonly results: readonly Code[];
  /** For one that takes more than others; the front door refuses what is longer. */
  readonly bodyBytesMax?: number;
  /** Whether in-store payments use it: only then does the sandbox serve it on the plain path. */
  readonly inStore: boolean;
  readonly example: {
    readonly request: Static<Request>;
    readonly response: Static<Response>;
    /** SUCCESS, unless another answer is the usual one. */
    readonly code?: Code;
  };
  /** Pure: the same record gives the same answer, however often and by whichever process it is asked. */
  answer(record: Record): Answer<Response, NoInfer<Code>>;
}

/** An operation that only asks. */
export interface Inquiry<
  Request extends TSchema = TSchema,
  Response extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  Record extends object = object,
> extends Declared<Request, Response, Code, Record> {
  /** Finds the record that the request speaks of, or says why not. */
  find(call: Call, request: Static<Request>): Promise<Record | Refusal<NoInfer<Code>>>;
  /** For an inquiry that can be followed: it goes on as things happen. */
  readonly stream?: Stream<Request>;
}

/** What happens to a merchant, one event after the other, at positions that only grow. */
export interface Stream<Request extends TSchema = TSchema> {
  /** Whether a caller wants to follow. Its request says so, which is signed; headers are not, and choose nothing. */
  isAsked(request: Static<Request>): boolean;
  /** After which position it wants to go on. */
  start(call: Call, request: Static<Request>): Promise<bigint | Refusal<"PARAM_ILLEGAL">>;
  /** The newest position of each of these merchants, in one question; who has none is not in it. */
  heads(
    tx: Tx,
    clients: readonly { readonly bucket: number; readonly clientId: string }[],
  ): Promise<ReadonlyMap<string, bigint>>;
  /** The next few events after a position. */
  read(call: Call, after: bigint): Promise<readonly StreamedEvent[]>;
}

export interface StreamedEvent {
  readonly position: bigint;
  readonly name: string;
  readonly body: Uint8Array;
}

/** An operation that does something, once, however often it is asked. */
export interface Action<
  Request extends TSchema = TSchema,
  Response extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  Record extends object = object,
> extends Declared<Request, Response, Code, Record> {
  /** What makes two calls the same action, and what must then be equal. */
  readonly once: { readonly id: string; readonly same: readonly string[] };
  /** Whether the caller waits for the wallet before it is answered. */
  readonly waits: boolean | ((request: Static<Request>) => boolean);
  /** For an action that most callers ask for once, without a look at what is there; `claim` is for the others. */
  readonly first?: First<Request, NoInfer<Code>, Record>;
  /** One transaction that calls nobody: refuses before the first write, or records the intent. */
  claim(call: Call, request: Static<Request>): Promise<Claimed<Record> | Refusal<NoInfer<Code>>>;
  /** Reads the record again, when its job has been run. */
  read(call: Call, record: Record): Promise<Record>;
}

/**
 * An operation that sets something: to ask for it twice is the same as to ask once. It has no request id, so the edge
 * goes by the signed time and refuses one that others have followed. A request without any field sets nothing.
 */
export interface Change<
  Request extends TSchema = TSchema,
  Response extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  Record extends object = object,
> extends Declared<Request, Response, Code, Record> {
  /**
   * One transaction that calls nobody, and that may be run again when nobody knows whether it was committed.
   * `isAgain` says that this very request was carried out before, and nothing after it.
   */
  change(call: Call, request: Static<Request>, isAgain: boolean): Promise<Record | Refusal<NoInfer<Code>>>;
}

/** What is written together with the first calls of others, in one statement. */
export interface First<Request extends TSchema, Code extends ResultCode, Record> {
  /** The claim if nobody has asked before. A refusal is not final: an earlier record may have an answer. */
  make(call: Call, request: Static<Request>): Claimed<Record> | Refusal<Code>;
  /** Writes what is new, and says of each whether it was. */
  insert(tx: Tx, made: readonly Record[]): Promise<readonly boolean[]>;
}

/** A record that is now ours to bring to its end, or one that was there before. */
export interface Claimed<Record> {
  readonly record: Record;
  /** What has to reach a wallet; this process holds its lease from the moment that it commits. */
  readonly held?: HeldJob;
  /** What somebody else is bringing to its end just now: its outcome is waited for, and not its job taken over. */
  readonly awaited?: JobKey;
}

/**
 * One operation of the API, read top to bottom. The router, the validation, OpenAPI, the reference
 * page and the client libraries are all read off this value.
 */
export type Operation = Inquiry | Action | Change;

/** Checks an inquiry against its own declarations: a code that it does not declare does not compile. */
export function inquiry<
  Request extends TSchema,
  Response extends TSchema,
  const Code extends ResultCode,
  Record extends object,
>(declared: Inquiry<Request, Response, Code, Record>): Inquiry<Request, Response, Code, Record> {
  return declared;
}

/** Checks an action likewise. */
export function action<
  Request extends TSchema,
  Response extends TSchema,
  const Code extends ResultCode,
  Record extends object,
>(declared: Action<Request, Response, Code, Record>): Action<Request, Response, Code, Record> {
  return declared;
}

/** Checks a change likewise. */
export function change<
  Request extends TSchema,
  Response extends TSchema,
  const Code extends ResultCode,
  Record extends object,
>(declared: Change<Request, Response, Code, Record>): Change<Request, Response, Code, Record> {
  return declared;
}
