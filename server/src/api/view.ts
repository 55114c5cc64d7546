import type { Static, TSchema } from "typebox";
import type { Refusal, ResultCode } from "../core/result.ts";
import type { RecentCall } from "../merchants/recent-call.ts";
import type { Right } from "../people/role.ts";
import type { Answer, Call, Example } from "./operation.ts";

/** What every view is given: one merchant's rows, to be read and not to be locked. */
export interface ViewCall extends Pick<
  Call,
  "tx" | "environment" | "clientId" | "bucket" | "now" | "aheadMs" | "termsOf"
> {
  /** The last calls that this process has answered, the newest first; none in live. */
  readonly recentCalls: readonly RecentCall[];
}

/**
 * A question of a person's, read top to bottom like an inquiry. It is no part of the public API: the console alone serves it, to
 * people whose role has the right, from a reader with a timeout of its own.
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
  readonly right: Right;
  readonly request: RequestSchema;
  readonly response: ResponseSchema;
  /** Every code that it may give by itself; those of the console's front door are added. */
  readonly results: readonly Code[];
  readonly example: Example<RequestSchema, ResponseSchema, NoInfer<Code>>;
  find(call: ViewCall, request: Static<RequestSchema>): Promise<RecordShape | Refusal<NoInfer<Code>>>;
  /** Pure: the same record gives the same answer. */
  answer(record: RecordShape): Answer<ResponseSchema, NoInfer<Code>>;
}

/** Checks a view against its own declarations: a code that it does not declare does not compile. */
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
