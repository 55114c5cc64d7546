import type { Static, TSchema } from "typebox";
import type { Refusal, ResultCode } from "../core/result.ts";
import type { Tx } from "../postgres/sql.ts";

export type Area = "payments" | "authorizations" | "merchants" | "tollgate";

/** What every operation is given. The edge has already checked the signature, the time and the schema. */
export interface Call {
  readonly tx: Tx;
  readonly clientId: string;
  readonly bucket: number;
  /** Business time: the database's clock, and in the sandbox the merchant's own offset on it. */
  readonly now: Date;
  /** True in the sandbox on the plain path, which is for in-store payments only. */
  readonly inStoreOnly: boolean;
}

/** What an operation says of its record: a result, and the fields of its response. */
export type Answer<Response extends TSchema, Code extends ResultCode> = {
  readonly code: Code;
} & Partial<Static<Response>>;

/**
 * One operation of the API, read top to bottom. The router, the validation, OpenAPI, the reference
 * page and the client libraries are all read off this value.
 */
export interface Operation<
  Request extends TSchema = TSchema,
  Response extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  Record extends object = object,
> {
  /** Below `/ams/api/v1/`, or `/ams/sandbox/api/v1/`. */
  readonly path: `${Area}/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly request: Request;
  readonly response: Response;
  /** Every code that it may give by itself; those of the front door come on top. */
  readonly results: readonly Code[];
  /** Whether in-store payments use it: only then does the sandbox serve it on the plain path. */
  readonly inStore: boolean;
  readonly example: { readonly request: Static<Request>; readonly response: Static<Response> };
  /** Finds the record that the request speaks of, or says why not. */
  find(call: Call, request: Static<Request>): Promise<Record | Refusal<Code>>;
  /** Pure: the same record gives the same answer, however often and by whichever process it is asked. */
  answer(record: Record): Answer<Response, Code>;
}

/** Checks an operation against its own declarations: a code that it does not declare does not compile. */
export function operation<
  Request extends TSchema,
  Response extends TSchema,
  const Code extends ResultCode,
  Record extends object,
>(declared: Operation<Request, Response, Code, Record>): Operation<Request, Response, Code, Record> {
  return declared;
}
