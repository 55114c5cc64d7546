import { describeField } from "./field-doc.ts";
import assert from "node:assert/strict";
import type { GeneratedFile } from "./emitter.ts";
import type { EnumType, Field, ObjectType, Role } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";
import { comment, file } from "./php-text.ts";
import { phpConstant, phpQuoted } from "./names.ts";

/**
 * Writes the class of a model. `outcomeMethods` is the source of the methods about the payment's outcome, after
 * the constructor.
 */
export function modelFile(
  { name, fields, role }: ObjectType,
  doc: string,
  outcomeMethods: string | undefined,
): GeneratedFile {
  assert(!reservedWords.has(name.toLowerCase()), `PHP reserves the class name ${name}.`);
  assert(
    !fields.some((field) => field.name === "extra"),
    `${name} has a field named extra, which the library reserves.`,
  );
  const nested = fields.filter(({ type }) => shapeOf(type) !== undefined);
  const shapes =
    nested.length === 0
      ? ""
      : `    protected const SHAPES = [\n${nested.map((field) => `        '${field.name}' => ${shapeOf(field.type)},`).join("\n")}\n    ];\n\n`;
  // PHP needs required parameters first. The order is not stable: a new field may be inserted anywhere.
  const parameters = [
    ...fields.filter(({ isRequired }) => isRequired),
    ...fields.filter(({ isRequired }) => !isRequired),
  ].map(
    (field) => `${comment(fieldParagraphs(field), 8)}        public readonly ${writeParameter(field)},\n`,
  );
  const text =
    `${comment([doc], 0)}final class ${name} extends ${baseClasses[role]}\n{\n${shapes}` +
    comment(
      [
        "Use named arguments only: their order may change, and a newer version may insert others.",
        "@param array<string, mixed> $extra fields that this version of the library does not know",
      ],
      4,
    ) +
    `    public function __construct(\n${parameters.join("")}        array $extra = [],\n    ) {\n` +
    `        parent::__construct($extra);\n    }\n${outcomeMethods === undefined ? "" : `\n${outcomeMethods}\n`}}`;
  return file("Models", name, outcomeMethods === undefined ? [] : ["Generated\\PaymentOutcomes"], text);
}

const baseClasses: Readonly<Record<Role, string>> = {
  request: "Model",
  response: "Answer",
  notification: "Model",
  part: "Model",
};

function writeParameter({ name, type, isRequired }: Field): string {
  const native = nativeType(type);
  if (isRequired) return `${native} $${name}`;
  return native === "mixed" ? `mixed $${name} = null` : `?${native} $${name} = null`;
}

function nativeType(type: TypeReference): string {
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
      return type.name;
    case "list":
    case "map":
      return "array";
  }
}

/** The type in PHPDoc syntax. */
function docType(type: TypeReference): string {
  if (type.kind === "list") return `list<${docType(type.of)}>`;
  if (type.kind === "map") return `array<string, ${docType(type.of)}>`;
  return nativeType(type);
}

/**
 * Returns the shape with which the model reads a field from JSON; undefined if the value is used unchanged.
 */
function shapeOf(type: TypeReference): string | undefined {
  if (type.kind === "object") return `${type.name}::class`;
  if (type.kind === "map") return `['map', ${shapeOf(type.of) ?? "null"}]`;
  const itemShape = type.kind === "list" ? shapeOf(type.of) : undefined;
  return itemShape === undefined ? undefined : `['list', ${itemShape}]`;
}

function fieldParagraphs(field: Field): string[] {
  const { doc, type, isRequired, deprecated } = field;
  const enumName = findEnumName(type);
  const fullDoc =
    enumName === undefined ? doc : [doc, `See \`${enumName}\`.`].filter((text) => text !== "").join(" ");
  const isArray = type.kind === "list" || type.kind === "map";
  const tag = isArray ? `@var ${docType(type)}${isRequired ? "" : "|null"}` : "";
  const deprecatedTag = deprecated === undefined ? "" : `@deprecated ${deprecated}`;
  return [
    describeField({ ...field, doc: fullDoc }),
    [tag, deprecatedTag].filter((text) => text !== "").join("\n"),
  ];
}

function findEnumName(type: TypeReference): string | undefined {
  if (type.kind === "list" || type.kind === "map") return findEnumName(type.of);
  return type.kind === "enum" ? type.name : undefined;
}

export function enumFile({ name, values, meanings }: EnumType): GeneratedFile {
  const names = values.map(phpConstant);
  assert(new Set(names).size === names.length, `${name} has two constants with the same name.`);
  const constants = values.map(
    (value, index) =>
      `${comment([meanings[value] ?? ""], 4)}    public const ${names[index]} = ${phpQuoted(value)};`,
  );
  const doc =
    "The values that this version knows. A newer gateway may have others, which are kept unchanged.";
  return file("Models", name, [], `${comment([doc], 0)}final class ${name}\n{\n${constants.join("\n")}\n}`);
}

/** Class names that a model cannot have: PHP reserves them, or they are base classes of the models. */
const reservedWords = new Set(
  (
    "abstract and answer anyanswer array as bool break callable case catch class clone const continue declare default do echo else " +
    "empty enum exit extends false final finally float fn for foreach function global goto if implements include int " +
    "interface isset iterable list match mixed model namespace never new null object or parent print private protected " +
    "public readonly require return self static string switch throw trait true try unknownnotification unset use var void while xor yield"
  ).split(" "),
);
