import { currencies, type Currency } from "./currencies.ts";
import type { Document, Json, OutcomeRow, PathItem, Schema } from "./openapi-document.ts";
import {
  readDeprecation,
  createTypeRegistry,
  type EnumType,
  type ObjectType,
  type Role,
  type TypeRegistry,
} from "./types-of-schemas.ts";

/** The gateway's API in terms that every language has. Emitters read only this. */
export interface Model {
  readonly areas: readonly Area[];
  /** Objects, in the order in which they are first needed. */
  readonly types: readonly ObjectType[];
  readonly enums: readonly EnumType[];
  readonly notifications: readonly Notification[];
  readonly resultCodes: readonly ResultCode[];
  /** Wire names of fields that must never appear in a log. */
  readonly secrets: readonly string[];
  readonly examples: readonly Example[];
  readonly currencies: readonly Currency[];
  readonly outcomes: PaymentOutcomes;
}

/** The outcome of a payment: the table of rules, and the types of the messages that have an outcome. */
export interface PaymentOutcomes {
  readonly types: readonly string[];
  /** The recommended action for each outcome. */
  readonly meanings: Readonly<Record<string, string>>;
  /**
   * The rules: the first row that matches determines the outcome. If no row matches, the outcome is pending.
   */
  readonly rows: readonly OutcomeRow[];
}

export type { OutcomeRow } from "./openapi-document.ts";

/** A group of operations: `client.payments`. */
export interface Area {
  readonly name: string;
  readonly doc: string;
  readonly operations: readonly Operation[];
}

export interface Operation {
  readonly area: string;
  /** The last part of the path, which is its name in every language: `inquiryPayment`. */
  readonly name: string;
  /** The path after the API version: `payments/inquiryPayment`. */
  readonly path: string;
  readonly summary: string;
  readonly doc: string;
  readonly request: string;
  readonly response: string;
  /** The field of the request that contains the idempotency key. */
  readonly idempotencyField?: string;
  /** Whether the library may retry the request when its outcome is unknown. */
  readonly isRepeatable: boolean;
  readonly resultCodes: readonly string[];
  /** The requests of the operation's examples, the most common one first. */
  readonly samples: readonly Json[];
  /** The replacement of a deprecated operation. */
  readonly deprecated?: string;
}

/** A webhook: a request that the gateway sends to a merchant. */
export interface Notification {
  /** `notifyPayment`. */
  readonly kind: string;
  readonly summary: string;
  readonly type: string;
  /** The values of `notifyType` that identify this kind; empty if the body has no such field. */
  readonly notifyTypes: readonly string[];
  readonly requiredFields: readonly string[];
  /** The field with the id of the record that changed. */
  readonly subjectField?: string;
}

export interface ResultCode {
  readonly code: string;
  readonly status: "S" | "F" | "U";
  readonly message: string;
  readonly advice: string;
  /** The class that is thrown; absent if the code is not an error. */
  readonly error?: string;
  readonly isRetryable: boolean;
  /**
   * Whether the gateway may return the code before it authenticates the client, and so without a signature.
   */
  readonly mayBeUnsigned: boolean;
}

export interface Example {
  readonly id: string;
  readonly type: string;
  readonly role: Role;
  readonly json: Json;
}

const jsonType = "application/json";

export function buildModel(document: Document): Model {
  const types = createTypeRegistry(document.components.schemas, collectBodySchemas(document));
  const bodyName = createBodyNamer(document);
  const operations = Object.entries(document.paths).map(([path, { post }]) =>
    readOperation(path, bodyName(path), post, types),
  );
  const notifications = Object.entries(document.webhooks ?? {}).map(([kind, { post }]) =>
    readNotification(kind, post, types),
  );
  const { objects, enums } = types.close();
  return {
    areas: groupByArea(document, operations),
    types: objects,
    enums,
    notifications,
    resultCodes: readResultCodes(document),
    secrets: collectSecretFields(objects),
    examples: readExamples(document),
    currencies,
    outcomes: readOutcomes(document, operations, notifications),
  };
}

function readOutcomes(
  document: Document,
  operations: readonly Operation[],
  notifications: readonly Notification[],
): PaymentOutcomes {
  const { messages = [], meanings = {}, rows = [] } = document["x-payment-outcomes"] ?? {};
  const responseTypes = operations
    .filter(({ name }) => messages.includes(name))
    .map(({ response }) => response);
  const notificationTypes = notifications
    .filter(({ kind }) => messages.includes(kind))
    .map(({ type }) => type);
  return { types: [...responseTypes, ...notificationTypes], meanings, rows };
}

function collectBodySchemas({ paths, webhooks = {} }: Document): Schema[] {
  return [...Object.values(paths), ...Object.values(webhooks)].flatMap(({ post }) => [
    readSchema(post.requestBody.content),
    readSchema(post.responses["200"]?.content),
  ]);
}

function readOperation(path: string, bodyName: string, item: PathItem, types: TypeRegistry): Operation {
  const [area = "", name = ""] = path.split("/").slice(1);
  const idempotencyField = item["x-idempotency-field"];
  return {
    area,
    name,
    path: `${area}/${name}`,
    summary: item.summary,
    doc: item.description ?? "",
    request: types.body(`${bodyName}Request`, readSchema(item.requestBody.content), "request"),
    response: types.body(`${bodyName}Response`, readSchema(item.responses["200"]?.content), "response"),
    ...(idempotencyField !== undefined && { idempotencyField }),
    isRepeatable: idempotencyField !== undefined || (item["x-inquiry"] ?? name.startsWith("inquiry")),
    resultCodes: item["x-result-codes"] ?? [],
    samples: [
      ...[item.requestBody.content[jsonType]?.example].filter((example) => example !== undefined),
      ...(item["x-scenes"] ?? []).map(({ request }) => request),
    ],
    ...readDeprecation(item),
  };
}

function readNotification(kind: string, item: PathItem, types: TypeRegistry): Notification {
  const schema = readSchema(item.requestBody.content);
  const subjectField = item["x-subject-field"] ?? findSubjectField(kind, schema);
  return {
    kind,
    summary: item.summary,
    type: types.body(notificationName(kind), schema, "notification"),
    notifyTypes: schema.properties?.["notifyType"]?.enum ?? [],
    requiredFields: schema.required ?? [],
    ...(subjectField !== undefined && { subjectField }),
  };
}

/**
 * Returns the id field of the record, such as `refundId` for `notifyRefund`. If there is no such field, it
 * returns the first required id.
 */
function findSubjectField(kind: string, { required = [] }: Schema): string | undefined {
  const noun = lowerFirst(kind.replace(/^notify/, ""));
  return (
    [`${noun}Id`, `${noun}RequestId`].find((name) => required.includes(name)) ??
    required.find((name) => name.endsWith("RequestId"))
  );
}

function groupByArea({ tags }: Document, operations: readonly Operation[]): Area[] {
  const names = [...new Set(operations.map(({ area }) => area))];
  return names.map((name) => ({
    name,
    doc: tags.find((tag) => tag.name === name)?.description ?? "",
    operations: operations.filter(({ area }) => area === name),
  }));
}

/**
 * Collects the result codes. A code that every operation can return comes from the checks before the
 * operation, and contains no information about money.
 */
function readResultCodes(document: Document): ResultCode[] {
  const codeLists = Object.values(document.paths).map(({ post }) => post["x-result-codes"] ?? []);
  const isReturnedByAll = (code: string): boolean => codeLists.every((codes) => codes.includes(code));
  return Object.entries(document["x-result-codes"]).map(
    ([code, { status, message, advice, error, retryable }]) => ({
      code,
      status,
      message,
      advice,
      ...(error !== undefined && { error }),
      isRetryable: retryable ?? false,
      mayBeUnsigned: (status === "F" || error === "RateLimitError") && isReturnedByAll(code),
    }),
  );
}

function collectSecretFields(objects: readonly ObjectType[]): string[] {
  const names = objects.flatMap(({ fields }) => fields.filter(({ isSecret }) => isSecret));
  return [...new Set(names.map(({ name }) => name))].sort();
}

function readExamples(document: Document): Example[] {
  const bodyName = createBodyNamer(document);
  const operations = Object.entries(document.paths).flatMap(([path, { post }]) => [
    readExample(`${bodyName(path)}Request`, "request", post.requestBody.content),
    readExample(`${bodyName(path)}Response`, "response", post.responses["200"]?.content),
  ]);
  const notifications = Object.entries(document.webhooks ?? {}).map(([kind, { post }]) =>
    readExample(notificationName(kind), "notification", post.requestBody.content),
  );
  return [...operations, ...notifications].filter((example) => example !== undefined);
}

function readExample(type: string, role: Role, content?: Contents): Example | undefined {
  const json = content?.[jsonType]?.example;
  return json === undefined ? undefined : { id: type, type, role, json };
}

type Contents = PathItem["requestBody"]["content"];

function readSchema(content?: Contents): Schema {
  return content?.[jsonType]?.schema ?? { type: "object" };
}

/**
 * Names the bodies: the request of `pay` is `PayRequest`. Two areas have an operation `consult`, so one of
 * its requests is `PaymentConsultRequest`.
 */
function createBodyNamer({ paths }: Document): (path: string) => string {
  const operationOfPath = (path: string): string => path.split("/").at(-1) ?? "";
  const names = Object.keys(paths).map(operationOfPath);
  return (path) => {
    const name = operationOfPath(path);
    const isUnique = names.filter((each) => each === name).length === 1;
    const area = (path.split("/")[1] ?? "").replace(/s$/, "");
    return isUnique ? upperFirst(name) : upperFirst(area) + upperFirst(name);
  };
}

const notificationName = (kind: string): string => `${upperFirst(kind.replace(/^notify/, ""))}Notification`;

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
