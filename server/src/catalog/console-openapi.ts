import { statusMeanings, type ResultCode } from "../core/result.ts";
import { version } from "../core/version.ts";
import { consoleValidationCodes, consoleResults } from "../people/console-result.ts";
import { merchantRoles, permissions, permissionsOf, staffRoles, type Permission } from "../people/role.ts";
import type { Act } from "./acts.ts";
import { actRequest } from "./act-request.ts";
import { jsonContent, toJson, toObject, withResult, type Json } from "./openapi.ts";
import type { View } from "../contract/view.ts";

/**
 * The OpenAPI 3.1 document of the console, separate from the public one. Only the portal's types are generated from it.
 * It contains permissions and roles, so that a page knows which acts to offer.
 */
export function consoleOpenApi(
  views: readonly View[],
  acts: readonly Act[],
): { readonly [key: string]: Json } {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tollgate console",
      version,
      summary: "Views and acts for people, used by the portal.",
      description:
        "Every view and act is a POST of JSON with a token of accounts, from a page of the portal. Every response is HTTP 200 and " +
        "has a `result`, like those of the public API. A view only reads. An act is an operation of the public API, or one for people " +
        "only, which has no `x-operation`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/console", description: "Either environment, on its own host" }],
    tags: [
      { name: "views", description: "Queries of people." },
      { name: "acts", description: "Changes by people." },
    ],
    paths: Object.fromEntries([
      ...views.map((view) => [`/views/${view.name}`, { post: viewItem(view) }]),
      ...acts.map((act) => [`/acts/${act.name}`, { post: actItem(act) }]),
    ]),
    components: {
      schemas: { Result: resultSchema },
      parameters: { clientId: clientIdParameter },
      securitySchemes: {
        token: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: tokenDescription },
      },
    },
    security: [{ token: [] }],
    "x-roles": Object.fromEntries(
      [...merchantRoles, ...staffRoles].map((role) => [
        role,
        { sandbox: [...permissionsOf(role, "sandbox")], live: [...permissionsOf(role, "live")] },
      ]),
    ),
    "x-result-codes": toJson(consoleResults),
  };
}

const resultSchema: Json = {
  type: "object",
  title: "Result",
  description: "The result of the request.",
  required: ["resultCode", "resultStatus", "resultMessage"],
  properties: {
    resultCode: {
      type: "string",
      maxLength: 64,
      enum: Object.keys(consoleResults),
      "x-open-enum": true,
      description: "The reason.",
    },
    resultStatus: {
      type: "string",
      enum: Object.keys(statusMeanings),
      "x-enumDescriptions": { ...statusMeanings },
      description: "`S`: it happened. `F`: it did not. `U`: the outcome is unknown.",
    },
    resultMessage: { type: "string", maxLength: 256, description: "The result as a sentence for people." },
    resultField: { type: "string", description: "The wrong field or header." },
    resultHint: { type: "string", description: "What to do." },
  },
};

const tokenDescription =
  "Signed by accounts with Ed25519, for one environment, valid for at most one minute. Any number of views, but only one act, may use it.";

const clientIdParameter: Json = {
  name: "client-id",
  in: "header",
  required: false,
  description: "The merchant of the request. Optional for a person with a single merchant.",
  schema: { type: "string", maxLength: 64 },
};

function viewItem(view: View): { readonly [key: string]: Json } {
  const { name, summary, description, permission, request, response, results, example } = view;
  return {
    operationId: `view${capitalize(name)}`,
    tags: ["views"],
    summary,
    ...(description !== undefined && { description }),
    ...requestContent(request, example.request),
    ...responseContent(response, example),
    ...permissionExtensions(permission),
    "x-result-codes": resultCodesOf(results),
  };
}

function actItem(act: Act): { readonly [key: string]: Json } {
  const { name, permission, operation } = act;
  const { summary, description, response, results, example } = operation;
  return {
    operationId: name,
    tags: ["acts"],
    summary,
    ...(description !== undefined && { description }),
    ...requestContent(actRequest(act), { reason: "The customer asked for it.", request: example.request }),
    ...responseContent(response, example),
    ...permissionExtensions(permission),
    ...(act.isPublic && { "x-operation": operation.path }),
    "x-result-codes": [...new Set([...resultCodesOf(results), "TOKEN_USED", "INVALID_CLIENT_STATUS"])],
  };
}

function requestContent(schema: object, example: unknown): { readonly [key: string]: Json } {
  return {
    parameters: [{ $ref: "#/components/parameters/clientId" }],
    requestBody: { required: true, content: jsonContent(toJson(schema), toJson(example)) },
  };
}

function responseContent(
  response: object,
  { response: fields, code = "SUCCESS" }: { readonly response: object; readonly code?: ResultCode },
): { readonly [key: string]: Json } {
  const { status, message } = consoleResults[code];
  const result = { resultCode: code, resultStatus: status, resultMessage: message };
  return {
    responses: {
      "200": {
        description: "Every outcome; `result` says which.",
        content: jsonContent(withResult(toJson(response)), { result, ...toObject(fields) }),
      },
    },
  };
}

/**
 * The permission, roles and approval rules of a route, for the OpenAPI document. The portal shows buttons by these
 * rules, and the server decides by the same table.
 */
function permissionExtensions(permission: Permission): { readonly [key: string]: Json } {
  return { "x-permission": permission, "x-step-up": permissions[permission].stepUp };
}

function resultCodesOf(codes: readonly ResultCode[]): string[] {
  return [...new Set<string>([...codes, ...consoleValidationCodes])];
}

function capitalize(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
