import { statusesInWords, type ResultCode } from "../core/result.ts";
import { version } from "../core/version.ts";
import { consoleDoorCodes, consoleResults } from "../people/console-result.ts";
import { merchantRoles, rights, rightsOf, staffRoles, type Right } from "../people/role.ts";
import type { Act } from "./acts.ts";
import { actRequest } from "./act-request.ts";
import { jsonContent, toJson, toObject, withResult, type Json } from "./openapi.ts";
import type { View } from "./view.ts";

/**
 * The OpenAPI 3.1 document of the console, apart from the public one: the portal's types come from it, and nobody else's. Rights and
 * roles are in it as well, so that a page need not know the rules to know what to offer.
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
      summary: "Views and acts for people, behind the portal.",
      description:
        "Every view and act is a POST of JSON with a token of accounts, from a page of the portal. Every answer is HTTP 200 and " +
        "carries a `result`, as those of the public API do. A view only asks. An act is an operation of the public API, or one for people " +
        "alone, which has no `x-operation`.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/console", description: "Either environment, on its own host" }],
    tags: [
      { name: "views", description: "What people may ask." },
      { name: "acts", description: "What people may do." },
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
        { sandbox: [...rightsOf(role, "sandbox")], live: [...rightsOf(role, "live")] },
      ]),
    ),
    "x-result-codes": toJson(consoleResults),
  };
}

const resultSchema: Json = {
  type: "object",
  title: "Result",
  description: "What became of it.",
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
      enum: Object.keys(statusesInWords),
      "x-enumDescriptions": { ...statusesInWords },
      description: "What you may conclude.",
    },
    resultMessage: { type: "string", maxLength: 256, description: "The same, for people." },
    resultField: { type: "string", description: "The field or header at fault." },
    resultHint: { type: "string", description: "What to do about it." },
  },
};

const tokenDescription =
  "Signed by accounts with Ed25519, for one environment, for at most a minute. A view takes it any number of times, an act once.";

const clientIdParameter: Json = {
  name: "client-id",
  in: "header",
  required: false,
  description: "The merchant whose records are meant. A person who has only one need not name it.",
  schema: { type: "string", maxLength: 64 },
};

function viewItem(view: View): { readonly [key: string]: Json } {
  const { name, summary, description, right, request, response, results, example } = view;
  return {
    operationId: `view${capital(name)}`,
    tags: ["views"],
    summary,
    ...(description !== undefined && { description }),
    ...asked(request, example.request),
    ...answered(response, example),
    ...ruled(right),
    "x-result-codes": codesOf(results),
  };
}

function actItem(act: Act): { readonly [key: string]: Json } {
  const { name, right, operation } = act;
  const { summary, description, response, results, example } = operation;
  return {
    operationId: name,
    tags: ["acts"],
    summary,
    ...(description !== undefined && { description }),
    ...asked(actRequest(act), { reason: "The customer asked for it.", request: example.request }),
    ...answered(response, example),
    ...ruled(right),
    ...(act.isPublic && { "x-operation": operation.path }),
    "x-result-codes": [...new Set([...codesOf(results), "TOKEN_USED", "INVALID_CLIENT_STATUS"])],
  };
}

function asked(schema: object, example: unknown): { readonly [key: string]: Json } {
  return {
    parameters: [{ $ref: "#/components/parameters/clientId" }],
    requestBody: { required: true, content: jsonContent(toJson(schema), toJson(example)) },
  };
}

function answered(
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

/** What a role needs for it: the portal shows a button by this, and the server decides by the same table. */
function ruled(right: Right): { readonly [key: string]: Json } {
  return { "x-right": right, "x-step-up": rights[right].stepUp };
}

function codesOf(own: readonly ResultCode[]): string[] {
  return [...new Set<string>([...own, ...consoleDoorCodes])];
}

function capital(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
