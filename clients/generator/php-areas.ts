import type { GeneratedFile } from "./emitter.ts";
import { upperFirst, type Area, type Model, type Operation } from "./model.ts";
import type { Field, ObjectType } from "./types-of-schemas.ts";
import { comment, file, joinOrBreakLines } from "./php-text.ts";
import type { TypeReference } from "./type-reference.ts";

export function areaClassFile({ name, doc, operations }: Area, types: readonly ObjectType[]): GeneratedFile {
  const uses = (handWrittenParts[name] ?? []).map(([trait]) => `    use ${trait};\n`);
  const traits = uses.length === 0 ? "" : `${uses.join("")}\n`;
  const text =
    comment([doc, "Tests can replace it by a test double. Do not extend it for other purposes."], 0) +
    `class ${areaName(name)} implements ${apiName(name)}\n{\n${traits}    /** @internal */\n` +
    `    public function __construct(private readonly Caller $caller)\n    {\n    }\n\n` +
    `${operations.map((operation) => methodOf(operation, types)).join("\n\n")}\n}`;
  return file("Areas", areaName(name), ["Caller", ...importedClasses(operations)], text);
}

/**
 * The interface of an area. A merchant's code can depend on it, and tests can replace it by a test double.
 */
export function areaApiFile({ name, doc, operations }: Area, types: readonly ObjectType[]): GeneratedFile {
  const parts = (handWrittenParts[name] ?? []).map(([, api]) => api);
  const parents = parts.length === 0 ? "" : ` extends ${parts.join(", ")}`;
  const methods = operations.map((operation) => {
    const { about: docComment, signature } = writeHead(operation, types);
    return `${docComment}${signature};`;
  });
  const text = `${comment([doc, testDoubleNote], 0)}interface ${apiName(name)}${parents}\n{\n${methods.join("\n\n")}\n}`;
  return file("Areas", apiName(name), importedClasses(operations), text);
}

function importedClasses(operations: readonly Operation[]): string[] {
  const models = operations.flatMap(({ request, response }) => [`Models\\${request}`, `Models\\${response}`]);
  return ["CallOptions", "Errors\\GatewayError", "Errors\\ResultError", ...models];
}

function methodOf(operation: Operation, types: readonly ObjectType[]): string {
  const { path, response } = operation;
  const { about: docComment, signature } = writeHead(operation, types);
  const call = joinOrBreakLines(
    "        return $this->caller->call(",
    [`'${path}'`, "$request", `${response}::class`, "$options"],
    ");",
  );
  const openingBrace = signature.includes("\n") ? " {" : "\n    {";
  return `${docComment}${signature}${openingBrace}\n${call}\n    }`;
}

function writeHead(
  { name, summary, doc, request, response, deprecated }: Operation,
  types: readonly ObjectType[],
): { readonly about: string; readonly signature: string } {
  const docComment = [
    summary,
    doc,
    [
      `@param ${request}|${arrayShape(types.find((type) => type.name === request)?.fields ?? [])} $request`,
      "@throws ResultError when the gateway rejects the request",
      "@throws GatewayError when there is no valid response",
      ...(deprecated === undefined ? [] : [`@deprecated ${deprecated}`]),
    ].join("\n"),
  ];
  const signature = joinOrBreakLines(
    `    public function ${name}(`,
    [`${request}|array $request`, "?CallOptions $options = null"],
    `): ${response}`,
  );
  return { about: comment(docComment, 4), signature };
}

/**
 * Writes the type of an array for PHPStan, Psalm and editors: the keys and value types of an array that
 * replaces a request object.
 */
function arrayShape(fields: readonly Field[]): string {
  if (fields.length === 0) return "array<string, mixed>";
  const lines = fields.map(
    ({ name, type, isRequired }) => `    ${name}${isRequired ? "" : "?"}: ${arrayValueType(type)},`,
  );
  return `array{\n${lines.join("\n")}\n}`;
}

function arrayValueType(type: TypeReference): string {
  switch (type.kind) {
    case "text":
    case "enum":
      return "string";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "anything":
      return "mixed";
    case "object":
      return `\\Tollgate\\Models\\${type.name}|array<string, mixed>`;
    case "list":
      return `list<${arrayValueType(type.of)}>`;
    case "map":
      return `array<string, ${arrayValueType(type.of)}>`;
  }
}

export function clientAreasFile({ areas }: Model): GeneratedFile {
  const properties = areas.map(
    ({ name, doc }) => `${comment([doc], 4)}    public readonly ${areaName(name)} $${name};\n`,
  );
  const assignments = areas.map(({ name }) => `        $this->${name} = new ${areaName(name)}($caller);\n`);
  const getters = areas.map(
    ({ name, doc }) =>
      `\n${comment([doc], 4)}    public function ${name}(): ${areaName(name)}\n    {\n        return $this->${name};\n    }\n`,
  );
  const text =
    `/** The operations of the gateway, by area. */\nabstract class ClientAreas implements AreasApi\n{\n${properties.join("")}\n` +
    `    /** @internal */\n    protected function __construct(Caller $caller)\n    {\n${assignments.join("")}    }\n${getters.join("")}}`;
  return file("Areas", "ClientAreas", ["Caller"], text);
}

/** Areas are methods, because interfaces in PHP 8.1 have no properties. */
export function areasApiFile({ areas }: Model): GeneratedFile {
  const methods = areas.map(
    ({ name, doc }) => `${comment([doc], 4)}    public function ${name}(): ${apiName(name)};`,
  );
  const text = `${comment(["The operations of the gateway, by area.", testDoubleNote], 0)}interface AreasApi\n{\n${methods.join("\n\n")}\n}`;
  return file("Areas", "AreasApi", [], text);
}

const testDoubleNote =
  "Tests can replace it by a test double. Do not implement it elsewhere: a minor version may add methods.";

const areaName = (name: string): string => `${upperFirst(name)}Area`;
const apiName = (name: string): string => `${areaName(name)}Api`;

/** Hand-written additions to an area: each is a trait and the interface that a test double implements. */
const handWrittenParts: Readonly<Record<string, readonly (readonly [trait: string, api: string])[]>> = {
  payments: [
    ["PaysByCode", "ByCodeApi"],
    ["WaitsForFinal", "WaitingApi"],
  ],
  tollgate: [["ReadsTheFeed", "FeedApi"]],
};
