import { describeField } from "./field-doc.ts";
import { writeTypescriptOutcomes } from "./payment-outcomes.ts";
import { createTypeDescriber } from "./type-doc.ts";
import { generatedNotice, type Emitter, type GeneratedFile } from "./emitter.ts";
import { upperFirst, type Area, type Model, type Operation } from "./model.ts";
import type { EnumType, Field } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

const folder = "typescript/src/generated";

/**
 * Types are plain JSON at run time. Unknown fields and values are kept, because the library does not convert
 * bodies.
 */
export const typescript: Emitter = {
  language: "typescript",
  callOf: (area, operation) => `client.${area}.${operation}(…)`,
  emit: (model) => [
    file("models.ts", modelsOf(model)),
    file("operations.ts", operationsOf(model)),
    file("notifications.ts", notificationsOf(model)),
    file("result-codes.ts", resultCodesOf(model)),
    file("currencies.ts", currenciesOf(model)),
    file("payment-outcomes.ts", writeTypescriptOutcomes(model.outcomes, model.types)),
    file("package.ts", packageOf(model)),
  ],
};

function file(name: string, parts: readonly string[]): GeneratedFile {
  return { path: `${folder}/${name}`, text: [`// ${generatedNotice}`, ...parts].join("\n\n") + "\n" };
}

function modelsOf(model: Model): string[] {
  const { enums, types } = model;
  const docs = createTypeDescriber(model, (area, name) => `client.${area}.${name}`);
  return [
    [
      "/** A known value, or a value that only a newer gateway has. */",
      "export type Open<Known extends string> = Known | (string & {});",
    ].join("\n"),
    ...enums.map(enumOf),
    ...types.map((type) => interfaceOf(type.name, docs(type), type.fields)),
  ];
}

/**
 * The meanings are in the comment of the type, because editors do not show comments at members of a union.
 */
function enumOf({ name, values, meanings }: EnumType): string {
  const lines = values.flatMap((value) => (meanings[value] ? [` * - \`${value}\`: ${meanings[value]}`] : []));
  const openDoc =
    " * The values that this version knows. A newer gateway may have others, which are kept unchanged.";
  const doc = `/**\n${[openDoc, ...(lines.length === 0 ? [] : [" *"]), ...lines].join("\n")}\n */\n`;
  return `${doc}export type ${name} = Open<\n${union(values, "  ")}\n>;`;
}

function union(values: readonly string[], indent: string): string {
  return values.map((value) => `${indent}| ${JSON.stringify(value)}`).join("\n");
}

function interfaceOf(name: string, doc: string, fields: readonly Field[]): string {
  if (fields.length === 0) return `${comment(doc)}export type ${name} = Readonly<Record<string, never>>;`;
  const lines = fields.map(
    (field) =>
      `${comment(describeField(field), "  ", field.deprecated)}  readonly ${field.name}${field.isRequired ? "" : "?"}: ${fieldType(field)};`,
  );
  return `${comment(doc)}export interface ${name} {\n${lines.join("\n")}\n}`;
}

/**
 * The type of an optional field includes undefined, so that an absent and an undefined field are the same for
 * every compiler setting.
 */
function fieldType({ type, isRequired }: Field): string {
  return isRequired ? typeText(type) : `${typeText(type)} | undefined`;
}

function typeText(type: TypeReference): string {
  switch (type.kind) {
    case "text":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "anything":
      return "unknown";
    case "object":
    case "enum":
      return type.name;
    case "list":
      return `readonly ${type.of.kind === "list" ? `(${typeText(type.of)})` : typeText(type.of)}[]`;
    case "map":
      return `Readonly<Record<string, ${typeText(type.of)}>>`;
  }
}

function comment(text: string, indent = "", deprecated?: string): string {
  if (deprecated !== undefined) {
    const lines = [...(text === "" ? [] : [text, ""]), `@deprecated ${deprecated}`];
    const rows = lines.map((line) => `${indent} * ${line.replaceAll("*/", "* /")}`.trimEnd());
    return `${indent}/**\n${rows.join("\n")}\n${indent} */\n`;
  }
  return text === "" ? "" : `${indent}/** ${text.replaceAll("*/", "* /")} */\n`;
}

function operationsOf({ areas, secrets, outcomes }: Model): string[] {
  const hasOutcome = ({ response }: Operation): boolean => outcomes.types.includes(response);
  const allOperations = areas.flatMap(({ operations }) => operations);
  const types = [...new Set(allOperations.flatMap(({ request, response }) => [request, response]))].sort();
  return [
    [
      'import type { Answer, Call, CallOptions, OperationFacts } from "../call.ts";',
      'import { withOutcome, type PaymentAnswer } from "../payment-outcome.ts";',
      `import type {\n${types.map((name) => `  ${name},`).join("\n")}\n} from "./models.ts";`,
    ].join("\n"),
    `export const operations: Readonly<Record<string, OperationFacts>> = {\n${allOperations.map(factsOf).join("\n")}\n};`,
    `/** Fields that must never appear in a log. */\nexport const secretFields: readonly string[] = ${JSON.stringify(secrets)};`,
    ...areas.map((area) => areaOf(area, hasOutcome)),
    `/** The operations of a client, by area. */\nexport interface Areas {\n${areas.map(({ name, doc }) => `${comment(doc, "  ")}  readonly ${name}: ${areaName(name)};`).join("\n")}\n}`,
    `function areasOf(call: Call): Areas {\n  return {\n${areas.map((area) => callsOf(area, hasOutcome)).join("\n")}\n  };\n}`,
    [
      "/** A client's operations, by area. */",
      "export class ClientAreas implements Areas {",
      ...areas.map(({ name, doc }) => `${comment(doc, "  ")}  readonly ${name}: ${areaName(name)};`),
      "",
      "  constructor(call: Call) {",
      "    const areas = areasOf(call);",
      ...areas.map(({ name }) => `    this.${name} = areas.${name};`),
      "  }",
      "}",
    ].join("\n"),
  ];
}

const areaName = (name: string): string => `${upperFirst(name)}Area`;

function factsOf({ path, isRepeatable, idempotencyField }: Operation): string {
  const field =
    idempotencyField === undefined ? "" : `, idempotencyField: ${JSON.stringify(idempotencyField)}`;
  return `  ${JSON.stringify(path)}: { isRepeatable: ${isRepeatable}${field} },`;
}

type OperationPredicate = (operation: Operation) => boolean;

function areaOf({ name, doc, operations }: Area, hasOutcome: OperationPredicate): string {
  const methods = operations.map(
    (operation) =>
      comment(
        [operation.summary, operation.doc].filter((text) => text !== "").join(" "),
        "  ",
        operation.deprecated,
      ) +
      `  ${operation.name}(request: ${operation.request}, options?: CallOptions): Promise<${hasOutcome(operation) ? "PaymentAnswer" : "Answer"}<${operation.response}>>;`,
  );
  return `${comment(doc)}export interface ${areaName(name)} {\n${methods.join("\n")}\n}`;
}

function callsOf({ name, operations }: Area, hasOutcome: OperationPredicate): string {
  const calls = operations.map((operation) => {
    const callExpression = `call(${JSON.stringify(operation.path)}, request, options)`;
    return hasOutcome(operation)
      ? `      ${operation.name}: async (request, options) => withOutcome("${operation.response}", await ${callExpression}),`
      : `      ${operation.name}: (request, options) => ${callExpression},`;
  });
  return `    ${name}: {\n${calls.join("\n")}\n    },`;
}

function notificationsOf({ notifications, outcomes }: Model): string[] {
  const types = [...new Set(notifications.map(({ type }) => type))].sort();
  const members = notifications.map(
    ({ kind, type }) =>
      `  | { readonly kind: ${JSON.stringify(kind)}; readonly body: ${type}${outcomes.types.includes(type) ? " & PaymentOutcome" : ""} }`,
  );
  const rows = notifications.map(
    ({ kind, notifyTypes, requiredFields, subjectField }) =>
      `  {\n    kind: ${JSON.stringify(kind)},\n    notifyTypes: ${JSON.stringify(notifyTypes)},\n` +
      `    requiredFields: ${JSON.stringify(requiredFields)},\n` +
      `${subjectField === undefined ? "" : `    subjectField: ${JSON.stringify(subjectField)},\n`}  },`,
  );
  return [
    `import type { ${types.join(", ")} } from "./models.ts";\nimport type { PaymentOutcome } from "./payment-outcomes.ts";`,
    [
      "/** The body of a webhook, by kind; `unknown` if this version of the library has no type for it. */",
      `export type Told =\n${members.join("\n")}`,
      '  | { readonly kind: "unknown"; readonly body: Readonly<Record<string, unknown>> };',
    ].join("\n"),
    [
      "export interface NotificationFacts {",
      '  readonly kind: Exclude<Told["kind"], "unknown">;',
      "  readonly notifyTypes: readonly string[];",
      "  readonly requiredFields: readonly string[];",
      "  readonly subjectField?: string;",
      "}",
    ].join("\n"),
    `export const notifications: readonly NotificationFacts[] = [\n${rows.join("\n")}\n];`,
  ];
}

function resultCodesOf({ resultCodes }: Model): string[] {
  const rows = resultCodes.map(
    ({ code, error, isRetryable, mayBeUnsigned, advice }) =>
      `  ${code}: { ${error === undefined ? "" : `error: ${JSON.stringify(error)}, `}isRetryable: ${isRetryable}, mayBeUnsigned: ${mayBeUnsigned}, ` +
      `advice: ${JSON.stringify(advice)} },`,
  );
  const classes = [
    ...new Set(resultCodes.flatMap(({ error }) => (error === undefined ? [] : [error]))),
  ].sort();
  return [
    `/** The names of the subclasses of \`ResultError\`. */\nexport type ResultErrorName =\n${union(classes, "  ")};`,
    [
      "/** The facts about a result code. */",
      "export interface CodeFacts {",
      "  /** The error class; absent for a plain `ResultError`. */",
      "  readonly error?: ResultErrorName;",
      "  /** Whether the library may retry the request. */",
      "  readonly isRetryable: boolean;",
      "  /** Whether a response with this code may be unsigned: codes of the checks before authentication. */",
      "  readonly mayBeUnsigned: boolean;",
      "  /** What to do about it. */",
      "  readonly advice: string;",
      "}",
    ].join("\n"),
    `/** The result codes that this version knows. */\nexport const resultCodes: Readonly<Record<string, CodeFacts>> = {\n${rows.join("\n")}\n};`,
  ];
}

function currenciesOf({ currencies }: Model): string[] {
  const digits = [...new Set(currencies.map((currency) => currency.digits))];
  const rows = digits.map((each) => {
    const codes = currencies.filter((currency) => currency.digits === each).map(({ code }) => code);
    return `  ...of(${each}, ${JSON.stringify(codes.join(" "))}),`;
  });
  return [
    'const of = (digits: number, codes: string): [string, number][] => codes.split(" ").map((code) => [code, digits]);',
    `/** The number of decimals of each currency. */\nexport const minorDigits: ReadonlyMap<string, number> = new Map([\n${rows.join("\n")}\n]);`,
  ];
}

/** The exports of the package. They are generated, because the names of the models are generated. */
function packageOf({ areas, enums, types }: Model): string[] {
  const models = ["Open", ...enums.map(({ name }) => name), ...types.map(({ name }) => name)].sort();
  const list = (names: readonly string[]): string => names.map((name) => `  ${name},`).join("\n");
  return [
    handWrittenExports,
    `export type {\n${list(["Areas", ...areas.map(({ name }) => areaName(name))])}\n} from "./operations.ts";`,
    'export { resultCodes, type CodeFacts, type ResultErrorName } from "./result-codes.ts";\nexport type { Told } from "./notifications.ts";',
    `export type {\n${list(models)}\n} from "./models.ts";`,
  ];
}

const handWrittenExports = [
  'export { Tollgate, type AppInfo, type TollgateOptions } from "../tollgate.ts";',
  'export type { Clock } from "../clock.ts";',
  'export type { WaitOptions, Waits } from "../wait-for-final.ts";',
  'export type { Answer, CallOptions } from "../call.ts";',
  'export type { PaymentAnswer } from "../payment-outcome.ts";',
  'export type { PaymentOutcome } from "./payment-outcomes.ts";',
  'export type { ByCode, ByCodeOptions, TillState } from "../pay-by-code.ts";',
  'export type { Cancelled, Declined, Paid, TillFacts, TillIds, TillResult, Unknown } from "../till-result.ts";',
  'export type { OpenCode, OpenedEntryCode, ShownOrderCode } from "../till-result.ts";',
  'export { newRequestId } from "../request-id.ts";',
  'export { Money } from "../money.ts";',
  'export { formatTime, parseTime } from "../times.ts";',
  'export { applyOnce, applyOnceSql, type Applying, type Dialect, type Statements } from "../apply-once.ts";',
  'export { Webhooks, type HeaderBag, type Incoming, type ToSign, type WebhookOptions } from "../webhooks.ts";',
  'export type { News, Notification, ToldEvent } from "../notification.ts";',
  'export type { EventsOptions, Feed } from "../feed.ts";',
  'export type { GatewayPublicKeys } from "../receiving.ts";',
  'export type { LogEntry, Logger } from "../log.ts";',
  'export type { ObservedCall, ObservedEnd, Observer } from "../observer.ts";',
  'export type { Fetch, FetchInit, FetchResponse } from "../transport.ts";',
  'export type { StreamResponse, Transport, TransportRequest, TransportResponse } from "../transport.ts";',
  'export type { KeyInput, WebCryptoKey } from "../key.ts";',
  `export {
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  DeclinedError,
  GatewayError,
  HttpStatusError,
  IdempotencyConflictError,
  InvalidKeyError,
  InvalidRequestError,
  MalformedResponseError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ResultError,
  ServerError,
  SignatureVerificationError,
  TimeoutError,
} from "../errors.ts";
export type { CallFacts, KeyProblem, Refusal, SignatureProblem } from "../errors.ts";`,
].join("\n");
