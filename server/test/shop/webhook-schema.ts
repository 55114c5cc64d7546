import { isDeepStrictEqual } from "node:util";
import { notifications } from "../../src/catalog/notifications.ts";
import { requestReader } from "../../src/contract/read-request.ts";
import { isRefusal } from "../../src/core/result.ts";
import type { JsonValue } from "../../src/core/strict-json.ts";
import type { NotificationKind } from "../../src/notifications/notification-kinds.ts";

type Body = Readonly<Record<string, unknown>>;

interface BodySchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

const kindSchemas = notifications.map(({ kind, body }) => {
  const { required = [], properties = {} }: BodySchema = body;
  return { kind, required, notifyTypes: properties["notifyType"]?.enum };
});

const readers = new Map(notifications.map(({ kind, body }) => [kind, requestReader(body)]));

/**
 * The kind of a body, as a receiver with one URL for all kinds determines it: from its required fields and
 * `notifyType`.
 */
export function webhookKindOf(body: Body): NotificationKind | undefined {
  return kindSchemas.find(
    ({ required, notifyTypes }) =>
      required.every((name) => body[name] !== undefined) &&
      (notifyTypes === undefined || notifyTypes.includes(String(body["notifyType"]))),
  )?.kind;
}

/** The first field of a body that its schema does not allow, does not know or misses; undefined when it is valid. */
export function schemaViolation(body: Body): string | undefined {
  const kind = webhookKindOf(body);
  const read = kind && readers.get(kind);
  if (!read) return `It is of no kind: ${JSON.stringify(body)}`;
  const outcome = read(body as { readonly [field: string]: JsonValue });
  if (isRefusal(outcome)) return `${kind}: ${outcome.detail ?? outcome.refused}`;
  return isDeepStrictEqual(outcome.request, body)
    ? undefined
    : `${kind}: it has fields that are not documented: ${JSON.stringify(body)}`;
}
