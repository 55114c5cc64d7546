import type { Static, TSchema } from "typebox";
import type { ClientKey } from "../core/client-key.ts";
import type { IdKind } from "../core/id.ts";
import type { Need } from "../core/need.ts";
import type { Refusal, ResultCode } from "../core/result.ts";
import type { JsonValue } from "../core/strict-json.ts";
import type { SecretKeeper } from "../core/secret-keeper.ts";
import type { LeasedJob, JobKey } from "../jobs/job.ts";
import type { FeeAsked } from "../ledger/fee-rule.ts";
import type { Tx } from "../postgres/sql.ts";
import type { ConnectorTerms } from "../wallets/connector.ts";
import type { Warning } from "./unknown-fields.ts";

export type Area = "payments" | "authorizations" | "merchants" | "tollgate";

/** What every operation is given. The edge has already checked the signature, the time and the schema. */
export interface Call {
  readonly tx: Tx;
  readonly environment: string;
  readonly clientId: string;
  readonly bucket: number;
  /** On the merchant's test clock: the database's time, plus `aheadMs` in the sandbox. */
  readonly now: Date;
  readonly aheadMs: number;
  /** True in the sandbox on the plain path, which is for in-store payments only. */
  readonly inStoreOnly: boolean;
  readonly newId: (kind: IdKind) => string;
  /** Hash of the fields that a repeated request must not change (idempotency). */
  readonly fingerprint: (request: object, fields: readonly string[]) => Buffer;
  /** The wallet that serves a payment method, or undefined when none does. */
  readonly connectorFor: (paymentMethodType: string) => string | undefined;
  /** All methods that wallets serve; `*` when one serves every method that no other names. */
  readonly servedMethods: () => readonly string[];
  /** False while a wallet's circuit breaker is open: nothing new is promised in its name. */
  readonly isReachable: (connector: string) => boolean;
  /** What a wallet allows. */
  readonly termsOf: (connector: string) => ConnectorTerms;
  /** Encrypts what only a wallet, or only the merchant, may see, for as long as it is stored. */
  readonly secrets: SecretKeeper;
  /** Schemes of the merchant's own apps, to which buyers may return. */
  readonly linkSchemes: readonly string[];
  /** Our fee on a payment that no rule of fees fits. */
  readonly feeBasisPoints: number;
  /** The terms of the rule of fees for a payment, as it remembers them; undefined when none fits. */
  readonly feeTermsFor: (asked: FeeAsked) => string | undefined;
  /** The organisation of the person who acts; undefined when a merchant's system calls. */
  readonly organisation: string | undefined;
  /** The page on which the buyer pays. */
  readonly checkoutUrl: (paymentId: string) => string;
}

/** What an operation says of its record: a result, and the fields of its response. */
export type Answer<ResponseSchema extends TSchema, Code extends ResultCode> = {
  readonly code: Code;
} & Partial<Static<ResponseSchema>>;

/** A request, and what comes back. */
export interface Example<
  RequestSchema extends TSchema,
  ResponseSchema extends TSchema,
  Code extends ResultCode,
> {
  /** The situation, in a few words; the usual one needs none. */
  readonly title?: string;
  readonly request: Static<RequestSchema>;
  readonly response: Partial<Static<ResponseSchema>>;
  /** SUCCESS, unless another answer is the usual one. */
  readonly code?: Code;
}

type Scene<RequestSchema extends TSchema, ResponseSchema extends TSchema, Code extends ResultCode> = Example<
  RequestSchema,
  ResponseSchema,
  Code
> & { readonly title: string };

/** What all operations declare. */
interface Declared<
  RequestSchema extends TSchema,
  ResponseSchema extends TSchema,
  Code extends ResultCode,
  RecordShape,
> {
  /** Below `/ams/api/v1/`, or `/ams/sandbox/api/v1/`. */
  readonly path: `${Area}/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly request: RequestSchema;
  /** Which optional fields of the request are required when; refusals, OpenAPI and the reference are told by it. */
  readonly needs?: readonly Need[];
  readonly response: ResponseSchema;
  /** Every code that it may give by itself; those of the front door are added. */
  readonly results: readonly Code[];
  /** What is accepted and probably not meant; the sandbox warns of it. The body may be malformed. */
  readonly warns?: (json: JsonValue) => readonly Warning[];
  /** A higher body limit than usual; the front door refuses longer bodies. */
  readonly bodyBytesMax?: number;
  /** Whether in-store payments use it: only then does the sandbox serve it on the plain path. */
  readonly inStore: boolean;
  readonly example: Example<RequestSchema, ResponseSchema, NoInfer<Code>>;
  /** More examples, one for each situation that a merchant would look for. */
  readonly scenes?: readonly Scene<RequestSchema, ResponseSchema, NoInfer<Code>>[];
  /** Pure: the same record gives the same answer, in every process. */
  answer(record: RecordShape): Answer<ResponseSchema, NoInfer<Code>>;
}

/** An operation that only reads. */
export interface Inquiry<
  RequestSchema extends TSchema = TSchema,
  ResponseSchema extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  RecordShape extends object = object,
> extends Declared<RequestSchema, ResponseSchema, Code, RecordShape> {
  /** Finds the record that the request speaks of, or says why not. */
  find(call: Call, request: Static<RequestSchema>): Promise<RecordShape | Refusal<NoInfer<Code>>>;
  /** Optional fast path: many callers' records in one statement. Undefined for one that `find` has to look for alone. */
  findTogether?(
    tx: Tx,
    asked: readonly Asked<Static<RequestSchema>>[],
  ): Promise<readonly (RecordShape | undefined)[]>;
  /** For an inquiry that can also be read as an event stream. */
  readonly stream?: Stream<RequestSchema>;
}

/** What one of many callers asks for. */
export interface Asked<Request> extends ClientKey {
  readonly request: Request;
}

/** A merchant's events, at positions that only grow. */
export interface Stream<RequestSchema extends TSchema = TSchema> {
  /**
   * Whether a caller wants a stream. The signed request says so; headers are not signed, and choose nothing.
   */
  isAsked(request: Static<RequestSchema>): boolean;
  /** The path that each event is signed for, if it is not the operation's own. */
  signedPath(request: Static<RequestSchema>): string | undefined;
  /** The position to resume after. */
  start(call: Call, request: Static<RequestSchema>): Promise<bigint | Refusal<"PARAM_ILLEGAL">>;
  /** The newest position of each of these merchants, in one query; a merchant without events is not in it. */
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

/** An idempotent operation: it acts once, however often it is asked. */
export interface Action<
  RequestSchema extends TSchema = TSchema,
  ResponseSchema extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  RecordShape extends object = object,
> extends Declared<RequestSchema, ResponseSchema, Code, RecordShape> {
  /** Idempotency: the field that is the key, and the fields that a repeat must not change. */
  readonly once: { readonly id: string; readonly same: readonly string[] };
  /** Whether the caller waits for the wallet before it is answered. */
  readonly waits: boolean | ((request: Static<RequestSchema>) => boolean);
  /** Optional fast path for new requests: batched, no reads. Repeats and special cases use `claim`. */
  readonly first?: First<RequestSchema, NoInfer<Code>, RecordShape>;
  /** One transaction without calls outside: refuses before the first write, or records the intent. */
  claim(call: Call, request: Static<RequestSchema>): Promise<Claimed<RecordShape> | Refusal<NoInfer<Code>>>;
  /** Reads the record again after its job has run. */
  read(call: Call, record: RecordShape): Promise<RecordShape>;
}

/**
 * An operation that sets a value, so a repeat changes nothing. It has no request id (idempotency key):
 * against replay, the edge refuses a request whose signed time is before that of the last change. A request
 * without any field sets nothing.
 */
export interface Change<
  RequestSchema extends TSchema = TSchema,
  ResponseSchema extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  RecordShape extends object = object,
> extends Declared<RequestSchema, ResponseSchema, Code, RecordShape> {
  /**
   * One transaction without calls outside. It is retried when the commit's outcome is unknown. `isAgain`:
   * this very request was the last one carried out.
   */
  change(
    call: Call,
    request: Static<RequestSchema>,
    isAgain: boolean,
  ): Promise<RecordShape | Refusal<NoInfer<Code>>>;
  /** For people's own acts: what the audit says has changed; undefined when it is as it was. */
  changed?(record: RecordShape): object | undefined;
}

/** The fast path: records inserted in one statement (batch) with those of other callers. */
export interface First<RequestSchema extends TSchema, Code extends ResultCode, RecordShape> {
  /** The claim of a new request. A refusal is not final: the request may be a repeat that has an answer. */
  make(call: Call, request: Static<RequestSchema>): Claimed<RecordShape> | Refusal<Code>;
  /** Inserts the new ones, and says of each whether it was new. */
  insert(tx: Tx, made: readonly RecordShape[]): Promise<readonly boolean[]>;
}

/** A record whose job is ours to run, or one that existed before. */
export interface Claimed<RecordShape> {
  readonly record: RecordShape;
  /** The job that calls the wallet; this process holds its lease from the commit on. */
  readonly leased?: LeasedJob;
  /** Fields of a repeat that were sent with another value than at first, which stays. The sandbox warns of them. */
  readonly unchanged?: readonly string[];
  /** A job that another process has leased: the caller waits for its outcome, and does not take over the lease. */
  readonly awaited?: JobKey;
}

/**
 * One operation of the API, read top to bottom. The router, the validation, OpenAPI, the reference
 * page and the client libraries are all read off this value.
 */
export type Operation = Inquiry | Action | Change;

/** Checks an inquiry against its own declarations: a code that it does not declare does not compile. */
export function inquiry<
  RequestSchema extends TSchema,
  ResponseSchema extends TSchema,
  const Code extends ResultCode,
  RecordShape extends object,
>(
  declared: Inquiry<RequestSchema, ResponseSchema, Code, RecordShape>,
): Inquiry<RequestSchema, ResponseSchema, Code, RecordShape> {
  return declared;
}

/** Checks an action likewise. */
export function action<
  RequestSchema extends TSchema,
  ResponseSchema extends TSchema,
  const Code extends ResultCode,
  RecordShape extends object,
>(
  declared: Action<RequestSchema, ResponseSchema, Code, RecordShape>,
): Action<RequestSchema, ResponseSchema, Code, RecordShape> {
  return declared;
}

/** Checks a change likewise. */
export function change<
  RequestSchema extends TSchema,
  ResponseSchema extends TSchema,
  const Code extends ResultCode,
  RecordShape extends object,
>(
  declared: Change<RequestSchema, ResponseSchema, Code, RecordShape>,
): Change<RequestSchema, ResponseSchema, Code, RecordShape> {
  return declared;
}
