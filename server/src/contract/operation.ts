import type { Static, TSchema } from "typebox";
import type { ClientKey } from "../core/client-key.ts";
import type { IdKind } from "../core/id.ts";
import type { RequiredField } from "../core/conditional-required.ts";
import type { Refusal, ResultCode } from "../core/result.ts";
import type { JsonValue } from "../core/strict-json.ts";
import type { SecretCipher } from "../core/secret-cipher.ts";
import type { LeasedJob, JobKey } from "./job.ts";
import type { Tx } from "../postgres/sql.ts";
import type { ConnectorTerms } from "../providers/connector.ts";
import type { ProviderReferences } from "../providers/provider-account.ts";
import type { DataGroup } from "../providers/provider-facts.ts";
import type { Warning } from "./unknown-fields.ts";

export type Area = "payments" | "authorizations" | "merchants" | "tollgate";

/** The fields of a payment that fee rules use. */
export interface FeeQuery {
  readonly paymentMethodType: string | undefined;
  readonly currency: string;
  /** When the payment was created. */
  readonly at: Date;
}

/** The input of every operation. The signature, the time and the schema are already validated. */
export interface Call {
  readonly tx: Tx;
  readonly environment: string;
  readonly clientId: string;
  readonly bucket: number;
  /** The time on the merchant's test clock: the database's time, plus `aheadMs` in the sandbox. */
  readonly now: Date;
  readonly aheadMs: number;
  /** True in the sandbox on the path without `sandbox`, which is for in-store payments only. */
  readonly inStoreOnly: boolean;
  readonly newId: (kind: IdKind) => string;
  /** Computes the request fingerprint: a hash of the fields that a repeated request must not change (idempotency). */
  readonly fingerprint: (request: object, fields: readonly string[]) => Buffer;
  /** The connector that serves a payment method for this merchant, or undefined. */
  readonly connectorFor: (paymentMethodType: string) => string | undefined;
  /** The merchant's account and registration at a connector, for a new order. */
  readonly referencesAt: (connector: string, referenceMerchantId: string | undefined) => ProviderReferences;
  /**
   * All payment methods that providers serve. It is `*` if one provider serves every method that no other provider
   * names.
   */
  readonly servedMethods: () => readonly string[];
  /**
   * Whether the provider is reachable: false while its circuit breaker is open, so that no new payment is accepted for
   * it.
   */
  readonly isReachable: (connector: string) => boolean;
  /** The rules of a provider, such as limits. */
  readonly termsOf: (connector: string) => ConnectorTerms;
  /** The groups of data that a connector wants with an order. */
  readonly wantsOf: (connector: string) => readonly DataGroup[];
  /** Encrypts secrets for the provider or the merchant while they are stored. */
  readonly secrets: SecretCipher;
  /** URL schemes of the merchant's own apps, to which buyers may return. */
  readonly linkSchemes: readonly string[];
  /** The fee for a payment without a matching fee rule. */
  readonly feeBasisPoints: number;
  /**
   * The terms of the fee rule for a payment, in the form that the payment stores; undefined without a matching rule.
   */
  readonly feeTermsFor: (query: FeeQuery) => string | undefined;
  /** The organisation of the person who sends the request; undefined if a merchant's system does. */
  readonly organisation: string | undefined;
  /** The URL of the checkout page. */
  readonly checkoutUrl: (paymentId: string) => string;
}

/** The response of an operation about its record: a result, and the response's fields. */
export type Answer<ResponseSchema extends TSchema, Code extends ResultCode> = {
  readonly code: Code;
} & Partial<Static<ResponseSchema>>;

/** An example request and its response. */
export interface Example<
  RequestSchema extends TSchema,
  ResponseSchema extends TSchema,
  Code extends ResultCode,
> {
  /** The situation of the example in a few words; omitted for the usual situation. */
  readonly title?: string;
  readonly request: Static<RequestSchema>;
  readonly response: Partial<Static<ResponseSchema>>;
  /** The result code (default SUCCESS). */
  readonly code?: Code;
}

type TitledExample<
  RequestSchema extends TSchema,
  ResponseSchema extends TSchema,
  Code extends ResultCode,
> = Example<RequestSchema, ResponseSchema, Code> & { readonly title: string };

/** The declarations that all operations share. */
interface OperationBase<
  RequestSchema extends TSchema,
  ResponseSchema extends TSchema,
  Code extends ResultCode,
  RecordShape,
> {
  /** The path of the operation below `/ams/api/v1/`, or `/ams/sandbox/api/v1/`. */
  readonly path: `${Area}/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly request: RequestSchema;
  /** The conditions under which optional fields are required. Used for rejections, OpenAPI and the reference. */
  readonly requiredFields?: readonly RequiredField[];
  readonly response: ResponseSchema;
  /** Every result code that this operation itself returns; the codes of the request validation are added. */
  readonly results: readonly Code[];
  /** Finds accepted values that are probably a mistake, of which the sandbox warns. The body may be malformed. */
  readonly findWarnings?: (json: JsonValue) => readonly Warning[];
  /**
   * The maximum body size of this operation, if it is higher than usual. The gateway rejects a longer body before the
   * operation runs.
   */
  readonly bodyBytesMax?: number;
  /**
   * Whether in-store payments use this operation. Only then does the sandbox serve it on the path without `sandbox`.
   */
  readonly inStore: boolean;
  readonly example: Example<RequestSchema, ResponseSchema, NoInfer<Code>>;
  /** More examples, one for each situation that a merchant would search for. */
  readonly moreExamples?: readonly TitledExample<RequestSchema, ResponseSchema, NoInfer<Code>>[];
  /** Builds the response from the record. Pure: the same record gives the same response, in every process. */
  answer(record: RecordShape): Answer<ResponseSchema, NoInfer<Code>>;
}

/** An operation that only reads. */
export interface Inquiry<
  RequestSchema extends TSchema = TSchema,
  ResponseSchema extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  RecordShape extends object = object,
> extends OperationBase<RequestSchema, ResponseSchema, Code, RecordShape> {
  /** Finds the record that the request names, or returns the rejection. */
  find(call: Call, request: Static<RequestSchema>): Promise<RecordShape | Refusal<NoInfer<Code>>>;
  /**
   * Optional fast path: finds the records of many callers in one statement. The result has undefined for a record that
   * `find` has to read alone.
   */
  findBatch?(
    tx: Tx,
    requests: readonly ClientRequest<Static<RequestSchema>>[],
  ): Promise<readonly (RecordShape | undefined)[]>;
  /** The event stream, for an inquiry that can also be read as a stream. */
  readonly stream?: Stream<RequestSchema>;
}

/** The inquiry of one of many callers. */
export interface ClientRequest<Request> extends ClientKey {
  readonly request: Request;
}

/** A merchant's events, at monotonically growing positions. */
export interface Stream<RequestSchema extends TSchema = TSchema> {
  /** Whether a caller requests a stream. The signed request decides, because headers are not signed. */
  isRequested(request: Static<RequestSchema>): boolean;
  /** The path for which each event is signed, if it is not the operation's own. */
  signedPath(request: Static<RequestSchema>): string | undefined;
  /** The position to resume after. */
  start(call: Call, request: Static<RequestSchema>): Promise<bigint | Refusal<"PARAM_ILLEGAL">>;
  /** The newest position of each of these merchants, in one query. A merchant without events is absent. */
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

/** An idempotent operation: it takes effect once, however often it is requested. */
export interface Action<
  RequestSchema extends TSchema = TSchema,
  ResponseSchema extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  RecordShape extends object = object,
> extends OperationBase<RequestSchema, ResponseSchema, Code, RecordShape> {
  /** Idempotency: the field that is the key, and the fields that a repeated request must not change. */
  readonly idempotency: { readonly keyField: string; readonly comparedFields: readonly string[] };
  /** Whether the caller waits for the provider before it gets a response. */
  readonly waitsForProvider: boolean | ((request: Static<RequestSchema>) => boolean);
  /** Optional fast path for new requests: batched, without reads. Repeated requests and special cases use `claim`. */
  readonly fastPath?: FastPath<RequestSchema, NoInfer<Code>, RecordShape>;
  /**
   * Claims the request in one transaction without external calls: rejects it before the first write, or records the
   * intent.
   */
  claim(
    call: Call,
    request: Static<RequestSchema>,
  ): Promise<ClaimResult<RecordShape> | Refusal<NoInfer<Code>>>;
  /** Reads the record again after its job has run. */
  read(call: Call, record: RecordShape): Promise<RecordShape>;
}

/**
 * An operation that sets a value, so that a repeated request changes nothing. It has no request id (idempotency key).
 * Against replay, the gateway rejects a request whose signed time is before that of the last change. A request without
 * any field sets nothing.
 */
export interface Change<
  RequestSchema extends TSchema = TSchema,
  ResponseSchema extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  RecordShape extends object = object,
> extends OperationBase<RequestSchema, ResponseSchema, Code, RecordShape> {
  /**
   * Sets the value in one transaction without external calls. The gateway retries it if the commit's outcome is
   * unknown. `isRepeat`: this exact request was the last one applied.
   */
  change(
    call: Call,
    request: Static<RequestSchema>,
    isRepeat: boolean,
  ): Promise<RecordShape | Refusal<NoInfer<Code>>>;
  /** Returns the changes for the audit log, for acts of people; undefined if nothing changed. */
  auditedChange?(record: RecordShape): object | undefined;
}

/** The fast path of an action: one statement inserts its record with the records of other callers (batch). */
export interface FastPath<RequestSchema extends TSchema, Code extends ResultCode, RecordShape> {
  /**
   * Builds the claim of a new request. A rejection is not final: the request may be a repeated one that already has a
   * response.
   */
  buildClaim(call: Call, request: Static<RequestSchema>): ClaimResult<RecordShape> | Refusal<Code>;
  /** Inserts new records, and returns for each whether it was new. */
  insert(tx: Tx, records: readonly RecordShape[]): Promise<readonly boolean[]>;
}

/** A new record whose job this process may run, or an existing record. */
export interface ClaimResult<RecordShape> {
  readonly record: RecordShape;
  /** The job that calls the provider. This process holds the job's lease from the commit on. */
  readonly leasedJob?: LeasedJob;
  /**
   * Fields whose value in a repeated request differs from the first request. The first value stays, and the sandbox
   * warns of the difference.
   */
  readonly ignoredDifferences?: readonly string[];
  /**
   * A job that another process has leased. The caller waits for the job's outcome, and does not take over the lease.
   */
  readonly awaitedJob?: JobKey;
}

/**
 * One operation of the API. Router, validation, OpenAPI, reference page and client libraries are all derived from this
 * value.
 */
export type Operation = Inquiry | Action | Change;

/** Checks the types of an inquiry: an undeclared code does not compile. */
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
