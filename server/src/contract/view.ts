import type { Static, TSchema } from "typebox";
import type { Refusal, ResultCode } from "../core/result.ts";
import type { RecentCall } from "../core/recent-call.ts";
import type { Permission } from "../people/role.ts";
import type { Answer, Call, Example } from "./operation.ts";

/** The input of every view: the rows of one merchant, to be read but not locked. */
export interface ViewCall extends Pick<
  Call,
  "tx" | "environment" | "clientId" | "bucket" | "now" | "aheadMs" | "termsOf"
> {
  /** The recent API requests of this process, newest first; none in live. */
  readonly recentCalls: readonly RecentCall[];
}

/**
 * A query by a person, in the form of an inquiry. A view is not part of the public API: only the console serves it, to
 * people whose role has the permission, from a connection pool with its own timeout.
 */
export interface View<
  RequestSchema extends TSchema = TSchema,
  ResponseSchema extends TSchema = TSchema,
  Code extends ResultCode = ResultCode,
  RecordShape extends object = object,
> {
  /** Below `/console/views/`. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Permission;
  readonly request: RequestSchema;
  readonly response: ResponseSchema;
  /** Every code of this view; the codes of the console's request validation are added. */
  readonly results: readonly Code[];
  readonly example: Example<RequestSchema, ResponseSchema, NoInfer<Code>>;
  find(call: ViewCall, request: Static<RequestSchema>): Promise<RecordShape | Refusal<NoInfer<Code>>>;
  /** Builds the response from the record. Pure: the same record gives the same response. */
  answer(record: RecordShape): Answer<ResponseSchema, NoInfer<Code>>;
}

/** Checks the types of a view: an undeclared code does not compile. */
export function view<
  RequestSchema extends TSchema,
  ResponseSchema extends TSchema,
  const Code extends ResultCode,
  RecordShape extends object,
>(
  declared: View<RequestSchema, ResponseSchema, Code, RecordShape>,
): View<RequestSchema, ResponseSchema, Code, RecordShape> {
  return declared;
}
