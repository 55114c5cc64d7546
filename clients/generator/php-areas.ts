import type { GeneratedFile } from "./emitter.ts";
import { upperFirst, type Area, type Field, type Model, type ObjectType, type Operation } from "./model.ts";
import { comment, file, fitted } from "./php-text.ts";
import type { TypeReference } from "./type-reference.ts";

export function areaFile({ name, doc, operations }: Area, types: readonly ObjectType[]): GeneratedFile {
  const uses = (traitsOf[name] ?? []).map((trait) => `    use ${trait};\n`);
  const traits = uses.length === 0 ? "" : `${uses.join("")}\n`;
  const models = operations.flatMap(({ request, response }) => [`Models\\${request}`, `Models\\${response}`]);
  const text =
    `${comment([doc, "Your tests can double it; nobody else has a reason to extend it."], 0)}class ${areaName(name)}\n{\n${traits}    /** @internal */\n` +
    `    public function __construct(private readonly Caller $caller)\n    {\n    }\n\n` +
    `${operations.map((operation) => methodOf(operation, types)).join("\n\n")}\n}`;
  return file(
    "Areas",
    areaName(name),
    ["CallOptions", "Caller", "Errors\\GatewayError", "Errors\\ResultError", ...models],
    text,
  );
}

function methodOf(
  { name, path, summary, doc, request, response, deprecated }: Operation,
  types: readonly ObjectType[],
): string {
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
  const call = fitted(
    "        return $this->caller->call(",
    [`'${path}'`, "$request", `${response}::class`, "$options"],
    ");",
  );
  const opening = signature.includes("\n") ? " {" : "\n    {";
  return `${comment(about, 4)}${signature}${opening}\n${call}\n    }`;
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
  const text =
    `/** What the gateway offers, by area. */\nabstract class ClientAreas\n{\n${properties.join("")}\n` +
    `    /** @internal */\n    protected function __construct(Caller $caller)\n    {\n${made.join("")}    }\n}`;
  return file("Areas", "ClientAreas", ["Caller"], text);
}

const areaName = (name: string): string => `${upperFirst(name)}Area`;

/** What an area has beside its operations, written by hand. */
const traitsOf: Readonly<Record<string, readonly string[]>> = {
  payments: ["PaysByCode", "WaitsForFinal"],
  tollgate: ["ReadsTheFeed"],
};
