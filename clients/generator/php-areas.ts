import type { GeneratedFile } from "./emitter.ts";
import { upperFirst, type Area, type Field, type Model, type ObjectType, type Operation } from "./model.ts";
import { comment, file, fitted } from "./php-text.ts";
import type { TypeReference } from "./type-reference.ts";

export function areaFile({ name, doc, operations }: Area, types: readonly ObjectType[]): GeneratedFile {
  const uses = (partsOf[name] ?? []).map(([trait]) => `    use ${trait};\n`);
  const traits = uses.length === 0 ? "" : `${uses.join("")}\n`;
  const text =
    comment([doc, "Your tests can double it; nobody else has a reason to extend it."], 0) +
    `class ${areaName(name)} implements ${apiName(name)}\n{\n${traits}    /** @internal */\n` +
    `    public function __construct(private readonly Caller $caller)\n    {\n    }\n\n` +
    `${operations.map((operation) => methodOf(operation, types)).join("\n\n")}\n}`;
  return file("Areas", areaName(name), ["Caller", ...usedBy(operations)], text);
}

/** What an area can do, without how: a merchant's code asks for this, and its tests give it something of their own. */
export function areaApiFile({ name, doc, operations }: Area, types: readonly ObjectType[]): GeneratedFile {
  const parts = (partsOf[name] ?? []).map(([, api]) => api);
  const parents = parts.length === 0 ? "" : ` extends ${parts.join(", ")}`;
  const methods = operations.map((operation) => {
    const { about, signature } = headOf(operation, types);
    return `${about}${signature};`;
  });
  const text = `${comment([doc, forDoubles], 0)}interface ${apiName(name)}${parents}\n{\n${methods.join("\n\n")}\n}`;
  return file("Areas", apiName(name), usedBy(operations), text);
}

function usedBy(operations: readonly Operation[]): string[] {
  const models = operations.flatMap(({ request, response }) => [`Models\\${request}`, `Models\\${response}`]);
  return ["CallOptions", "Errors\\GatewayError", "Errors\\ResultError", ...models];
}

function methodOf(operation: Operation, types: readonly ObjectType[]): string {
  const { path, response } = operation;
  const { about, signature } = headOf(operation, types);
  const call = fitted(
    "        return $this->caller->call(",
    [`'${path}'`, "$request", `${response}::class`, "$options"],
    ");",
  );
  const opening = signature.includes("\n") ? " {" : "\n    {";
  return `${about}${signature}${opening}\n${call}\n    }`;
}

function headOf(
  { name, summary, doc, request, response, deprecated }: Operation,
  types: readonly ObjectType[],
): { readonly about: string; readonly signature: string } {
  const about = [
    summary,
    doc,
    [
      `@param ${request}|${arrayShape(types.find((type) => type.name === request)?.fields ?? [])} $request`,
      "@throws ResultError when the gateway refuses",
      "@throws GatewayError when there is no answer that can be trusted",
      ...(deprecated === undefined ? [] : [`@deprecated ${deprecated}`]),
    ].join("\n"),
  ];
  const signature = fitted(
    `    public function ${name}(`,
    [`${request}|array $request`, "?CallOptions $options = null"],
    `): ${response}`,
  );
  return { about: comment(about, 4), signature };
}

/** For PHPStan, Psalm and editors: which keys an array may have in place of a request, and what they hold. */
function arrayShape(fields: readonly Field[]): string {
  if (fields.length === 0) return "array<string, mixed>";
  const lines = fields.map(
    ({ name, type, isRequired }) => `    ${name}${isRequired ? "" : "?"}: ${shapeOf(type)},`,
  );
  return `array{\n${lines.join("\n")}\n}`;
}

function shapeOf(type: TypeReference): string {
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
      return `list<${shapeOf(type.of)}>`;
    case "map":
      return `array<string, ${shapeOf(type.of)}>`;
  }
}

export function clientAreasFile({ areas }: Model): GeneratedFile {
  const properties = areas.map(
    ({ name, doc }) => `${comment([doc], 4)}    public readonly ${areaName(name)} $${name};\n`,
  );
  const made = areas.map(({ name }) => `        $this->${name} = new ${areaName(name)}($caller);\n`);
  const given = areas.map(
    ({ name, doc }) =>
      `\n${comment([doc], 4)}    public function ${name}(): ${areaName(name)}\n    {\n        return $this->${name};\n    }\n`,
  );
  const text =
    `/** What the gateway offers, by area. */\nabstract class ClientAreas implements AreasApi\n{\n${properties.join("")}\n` +
    `    /** @internal */\n    protected function __construct(Caller $caller)\n    {\n${made.join("")}    }\n${given.join("")}}`;
  return file("Areas", "ClientAreas", ["Caller"], text);
}

/** Areas as methods, because interfaces of PHP 8.1 have no properties. */
export function areasApiFile({ areas }: Model): GeneratedFile {
  const methods = areas.map(
    ({ name, doc }) => `${comment([doc], 4)}    public function ${name}(): ${apiName(name)};`,
  );
  const text = `${comment(["What the gateway offers, by area.", forDoubles], 0)}interface AreasApi\n{\n${methods.join("\n\n")}\n}`;
  return file("Areas", "AreasApi", [], text);
}

const forDoubles = "Your tests can double it. Do not implement it: a minor version may add methods.";

const areaName = (name: string): string => `${upperFirst(name)}Area`;
const apiName = (name: string): string => `${areaName(name)}Api`;

/** What an area has beside its operations, written by hand: a trait, and what of it can be doubled. */
const partsOf: Readonly<Record<string, readonly (readonly [trait: string, api: string])[]>> = {
  payments: [
    ["PaysByCode", "ByCodeApi"],
    ["WaitsForFinal", "WaitingApi"],
  ],
  tollgate: [["ReadsTheFeed", "FeedApi"]],
};
