import type { Area, Operation } from "../contract/operation.ts";
import { errorClassOf, isRetryable } from "../core/error-class.ts";
import {
  requestValidationCodes,
  results,
  statusMeanings,
  toWireResult,
  type ResultCode,
} from "../core/result.ts";
import { version } from "../core/version.ts";
import { describeRequiredFields } from "../contract/describe-required-fields.ts";
import { messagesWithOutcome, outcomeMeanings, paymentOutcomes } from "../payments/payment-outcome.ts";
import { notifications } from "./notifications.ts";
import type { WebhookKind } from "./webhook-kind.ts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The OpenAPI 3.1 document. A TypeBox schema is JSON Schema, so no translation is needed. */
export function openApi(operations: readonly Operation[]): { readonly [key: string]: Json } {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tollgate",
      version,
      summary: "Signed payment operations for merchants.",
      description:
        "Every operation is a POST of JSON, signed with SHA-256 and RSA. Every response is HTTP 200, signed, and " +
        "has a `result`: `S` the request succeeded, `F` it failed, `U` the outcome is unknown. `S` alone does not mean that a payment " +
        "is paid: `x-payment-outcomes` lists the messages that do.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      { url: "/ams/sandbox/api/v1", description: "Sandbox" },
      { url: "/ams/api/v1", description: "Live, and in-store payments of the sandbox" },
    ],
    tags: [
      ...areasOf(operations).map((name) => ({ name, description: areaDescriptions[name] })),
      {
        name: "notifications",
        description: "Webhooks that the gateway sends to merchants, signed like requests.",
      },
    ],
    paths: Object.fromEntries(
      operations.map((operation) => [
        `/${operation.path}`,
        { post: { operationId: operationId(operation, operations), ...pathItem(operation) } },
      ]),
    ),
    webhooks: Object.fromEntries(
      notifications.map((webhook) => [webhook.kind, { post: webhookItem(webhook) }]),
    ),
    components: {
      schemas: { Result: resultSchema, RequestProblem: problemSchema, RequestWarning: warningSchema },
      parameters: headerParameters,
      securitySchemes: {
        signature: { type: "apiKey", in: "header", name: "signature", description: signatureDescription },
      },
    },
    security: [{ signature: [] }],
    "x-result-codes": Object.fromEntries(
      Object.entries(results).map(([code, { status, message, advice }]) => [
        code,
        { status, message, advice, ...clientLibraryFacts(code as ResultCode) },
      ]),
    ),
    "x-payment-outcomes": {
      messages: messagesWithOutcome,
      meanings: { ...outcomeMeanings },
      rows: paymentOutcomes.map((row) => ({ ...row })),
    },
  };
}

export const areaDescriptions: Readonly<Record<Area, string>> = {
  payments: "Online and in-store payments, captures, cancels and refunds.",
  authorizations: "Tokens by which a buyer lets a merchant charge again.",
  merchants: "Registration of merchants and stores with payment providers.",
  tollgate: "Tollgate's own operations, in addition to the interface.",
};

const signatureDescription =
  "`algorithm=RSA256,keyVersion=N,signature=…`: SHA-256 with RSA (PKCS#1 v1.5) over `POST <path>\\n" +
  "<client-id>.<request-time>.<body>`, in base64, percent-encoded.";

const resultSchema: Json = {
  type: "object",
  title: "Result",
  description: "The result of the request.",
  required: ["resultCode", "resultStatus", "resultMessage"],
  properties: {
    resultCode: {
      type: "string",
      maxLength: 64,
      enum: Object.keys(results),
      "x-open-enum": true,
      description: "The reason.",
    },
    resultStatus: {
      type: "string",
      enum: Object.keys(statusMeanings),
      "x-enumDescriptions": { ...statusMeanings },
      description: "`S`: it happened. `F`: it did not. `U`: the outcome is unknown.",
    },
    resultMessage: {
      type: "string",
      maxLength: 256,
      description: "The result as a sentence for people; may change.",
    },
    resultField: { type: "string", description: "Sandbox only: the wrong field or header." },
    resultHint: { type: "string", description: "Sandbox only: what to do." },
    docUrl: { type: "string", description: "Sandbox only: where to read more." },
  },
};

const problemSchema: Json = {
  type: "object",
  title: "RequestProblem",
  description: "One problem of a request.",
  required: ["field", "problem"],
  properties: {
    field: { type: "string", description: "The field, as a dotted path." },
    problem: { type: "string", description: "The problem, in words." },
    instead: { type: "string", description: "The correct value, if known." },
  },
};

const warningSchema: Json = {
  type: "object",
  title: "RequestWarning",
  description:
    "An accepted value that is probably a mistake: a field that was ignored, or that has another effect.",
  required: ["field", "warning"],
  properties: {
    field: { type: "string", description: "The field, as a dotted path." },
    warning: { type: "string", description: "The effect, in words." },
    nearest: { type: "string", description: "The field that was probably meant." },
  },
};

/**
 * Fields of a sandbox response that explain a mistake. They are next to `result`, because all fields of `result` are
 * strings.
 */
const diagnosticProperties: { readonly [name: string]: Json } = {
  problems: {
    type: "array",
    items: { $ref: "#/components/schemas/RequestProblem" },
    description: "Sandbox only: all problems of a rejected request.",
  },
  warnings: {
    type: "array",
    items: { $ref: "#/components/schemas/RequestWarning" },
    description:
      "Sandbox only: accepted values that are probably mistakes. A successful response may have some.",
  },
};

const headerParameters: Json = {
  clientId: header("client-id", "The merchant's client id.", { type: "string", maxLength: 64 }),
  requestTime: header("request-time", "Milliseconds since 1970, or ISO 8601 with an offset.", {
    type: "string",
  }),
};

function header(name: string, description: string, schema: Json): Json {
  return { name, in: "header", required: true, description, schema };
}

/** The operation's name in the OpenAPI document; prefixed with its area if an earlier operation has the same name. */
function operationId({ path }: Operation, operations: readonly Operation[]): string {
  const [area = "", name = ""] = path.split("/");
  const first = operations.find((other) => other.path.endsWith(`/${name}`));
  return first?.path === path ? name : `${area}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function pathItem(operation: Operation): { readonly [key: string]: Json } {
  const { path, summary, description, request, requiredFields, response, example, moreExamples } = operation;
  const [area = ""] = path.split("/");
  return {
    tags: [area],
    summary,
    ...(description && { description }),
    parameters: [
      { $ref: "#/components/parameters/clientId" },
      { $ref: "#/components/parameters/requestTime" },
    ],
    requestBody: {
      required: true,
      content: jsonContent(toJson(describeRequiredFields(request, requiredFields)), toJson(example.request)),
    },
    responses: {
      "200": {
        description: "Every outcome; `result` says which.",
        headers: responseHeaders,
        content: {
          ...jsonContent(withResult(toJson(response), diagnosticProperties), {
            result: toJson(toWireResult(example.code ?? "SUCCESS")),
            ...toObject(example.response),
          }),
          ...("stream" in operation && { "text/event-stream": { schema: streamSchema } }),
        },
      },
      "4XX": { description: "The request is not valid HTTP. No body." },
    },
    ...("idempotency" in operation && { "x-idempotency-field": operation.idempotency.keyField }),
    ...("find" in operation && { "x-inquiry": true }),
    "x-result-codes": resultCodesOf(operation),
    ...(moreExamples && { "x-scenes": moreExamples.map(furtherExample) }),
  };
}

/** Another example, next to `example`: OpenAPI has either one unnamed example or several named ones. */
function furtherExample({
  title,
  request,
  response,
  code = "SUCCESS",
}: NonNullable<Operation["moreExamples"]>[number]): Json {
  const answer = { result: toJson(toWireResult(code)), ...toObject(response) };
  return { title, request: toJson(request), answer };
}

/**
 * A webhook in the OpenAPI document. Its acknowledgement needs no signature: an attacker who could forge it could also
 * drop the webhook.
 */
function webhookItem({ kind, summary, body, example }: WebhookKind): Json {
  return {
    operationId: kind,
    tags: ["notifications"],
    summary,
    parameters: [
      { $ref: "#/components/parameters/clientId" },
      { $ref: "#/components/parameters/requestTime" },
    ],
    requestBody: { required: true, content: jsonContent(toJson(body), toJson(example)) },
    responses: {
      "200": {
        description: "Acknowledged. Without it the webhook is retried, eight times in a day.",
        content: jsonContent(withResult({}), { result: toJson(toWireResult("SUCCESS")) }),
      },
    },
  };
}

/** The facts about a result code that client libraries need: its error class, and whether to retry. */
function clientLibraryFacts(code: ResultCode): { readonly [key: string]: Json } {
  const error = errorClassOf(code);
  return { ...(error && { error }), retryable: isRetryable(code) };
}

function resultCodesOf({ results: codes }: Operation): ResultCode[] {
  return [...new Set<ResultCode>([...codes, ...requestValidationCodes])];
}

const responseHeaders: Json = {
  signature: {
    description: "As in the request, over the request's path and `response-time`.",
    schema: { type: "string" },
  },
  "response-time": { description: "When the message was signed.", schema: { type: "string" } },
  "client-id": { description: "The client id of the addressee.", schema: { type: "string" } },
  "request-id": { description: "Identifies this request in the gateway's logs.", schema: { type: "string" } },
};

export function jsonContent(schema: Json, example: Json): { readonly [type: string]: Json } {
  return { "application/json": { schema, example } };
}

const streamSchema: Json = {
  type: "string",
  description:
    "Server-sent events. The data of each is JSON: `body` as in a webhook, with `requestTime` and a " +
    "`signature` as if it had been sent to the path of this operation.",
};

/** Only `result` is required: a response without success may have no other field. */
export function withResult(response: Json, extraProperties: { readonly [name: string]: Json } = {}): Json {
  const { properties } = toObject(response);
  return {
    type: "object",
    required: ["result"],
    properties: {
      result: { $ref: "#/components/schemas/Result" },
      ...toObject(properties ?? {}),
      ...extraProperties,
    },
  };
}

function areasOf(operations: readonly Operation[]): Area[] {
  return [...new Set(operations.map(({ path }) => path.split("/")[0] as Area))];
}

export function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

export function toObject(value: unknown): { readonly [key: string]: Json } {
  return toJson(value) as { readonly [key: string]: Json };
}
