import { describeField } from "./field-doc.ts";
import { createDocTranslator } from "./python-docs.ts";
import { writeCall, constant, deprecatedDoc, docstring, importOf, snake } from "./python-text.ts";

import { writePythonOutcomeProperties } from "./payment-outcomes.ts";
import { modulesOf, namesIn, type Module } from "./python-modules.ts";
import { createTypeDescriber } from "./type-doc.ts";
import type { Model, PaymentOutcomes } from "./model.ts";
import type { EnumType, Field, ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

/** One module of the Python package `models`: its docstring and its source. */
export interface ModelsFile {
  readonly name: string;
  readonly doc: string;
  readonly parts: readonly string[];
}

export function modelFilesOf(model: Model): ModelsFile[] {
  const translateDoc = createDocTranslator(model);
  // Each class needs a docstring. Otherwise `dataclass` generates one from the signature, which is slow.
  const docs = createTypeDescriber(model, (area, name) => `client.${snake(area)}.${snake(name)}`);
  const modules = modulesOf(model);
  const moduleOfType = new Map(
    modules.flatMap(({ name, types }) => types.map((type) => [type.name, name] as const)),
  );
  return [
    packageOf(model, modules),
    {
      name: "enums",
      doc: "Enums of known values.",
      parts: [importOf(".._model", ["OpenEnum"]), ...model.enums.map(enumOf)],
    },
    ...modules.map((module) => ({
      name: module.name,
      doc: module.doc,
      parts: [
        importsOf(module, moduleOfType, model.outcomes),
        ...module.types.map((type) => classOf(type, docs(type), translateDoc, model.outcomes)),
      ],
    })),
  ];
}

/** The exports of the package, loaded on first use. */
function packageOf({ enums }: Model, modules: readonly Module[]): ModelsFile {
  const exports: readonly (readonly [module: string, names: readonly string[]])[] = [
    ["enums", enums.map(({ name }) => name)],
    ...modules.map(({ name, types }) => [name, types.map((type) => type.name)] as const),
  ];
  const sorted = exports
    .filter(([, names]) => names.length > 0)
    .toSorted(([first], [second]) => (first < second ? -1 : 1));
  const moduleOfType = sorted.flatMap(([module, names]) => names.map((name) => ({ name, module })));
  moduleOfType.sort((first, second) => (first.name < second.name ? -1 : 1));
  return {
    name: "__init__",
    doc: "Requests, responses and webhook bodies. A type is loaded on first use.",
    parts: [
      [
        "from typing import TYPE_CHECKING\n",
        "from .._lazy import lazy\n",
        "if TYPE_CHECKING:",
        ...sorted.map(([module, names]) => importOf(`.${module}`, names, "    ")),
        `\n_HOMES = {\n${moduleOfType.map(({ name, module }) => `    "${name}": "${module}",`).join("\n")}\n}\n`,
        `__all__ = [\n${moduleOfType.map(({ name }) => `    "${name}",`).join("\n")}\n]\n`,
        "__getattr__, __dir__ = lazy(__name__, _HOMES, globals())",
      ].join("\n"),
    ],
  };
}

function importsOf(
  { name, types }: Module,
  moduleOfType: ReadonlyMap<string, string>,
  outcomes: PaymentOutcomes,
): string {
  const fields = types.flatMap((type) => type.fields);
  const objects = fields.flatMap(({ type }) => namesIn(type, "object"));
  const enums = fields.flatMap(({ type }) => namesIn(type, "enum"));
  const namesByModule = Map.groupBy(new Set(objects), (each) => moduleOfType.get(each) ?? "");
  namesByModule.delete(name);
  const hasResponses = types.some(({ role }) => role === "response");
  const hasOtherTypes = types.some(({ role }) => role !== "response");
  const annotations = types.flatMap((type) => type.fields.map((field) => annotationOf(field, type)));
  const abstract = [
    "Mapping",
    ...(annotations.some((text) => text.includes("Sequence[")) ? ["Sequence"] : []),
  ];
  const readers = [...new Set(fields.flatMap(({ type }) => converterOf(type)?.match(/\w+_of/g) ?? []))];
  const hasFields = fields.length > 0;
  const importsField = fields.some((each) => each.isSecret || !isHashable(each.type));
  const modelImports = [
    ...(hasOtherTypes ? ["Model"] : []),
    ...readers,
    ...(hasFields ? ["Fields", "written"] : []),
  ];
  return [
    ...(hasFields ? [importOf("collections.abc", abstract)] : []),
    `from dataclasses import dataclass${importsField ? ", field" : ""}`,
    ...(hasFields ? ["from typing import Any"] : []),
    "",
    ...(hasResponses ? [importOf(".._answer", ["Answer"])] : []),
    ...(modelImports.length > 0 ? [importOf(".._model", modelImports)] : []),
    ...(types.some((type) => outcomes.types.includes(type.name))
      ? [importOf(".._outcomes", ["outcome_of"])]
      : []),
    ...(hasFields ? [importOf(".._typing", ["Self"])] : []),
    ...[...namesByModule, ...(enums.length > 0 ? [["enums", enums] as const] : [])]
      .toSorted(([first], [second]) => (first < second ? -1 : 1))
      .map(([module, names]) => importOf(`.${module}`, names)),
  ].join("\n");
}

function enumOf({ name, values, meanings }: EnumType): string {
  const members = values.flatMap((value) => [
    `    ${constant(value)} = ${JSON.stringify(value)}`,
    ...docstring([meanings[value] ?? ""], "    "),
  ]);
  const doc = docstring(
    ["The values that this version knows. A newer gateway may have others, which are kept unchanged."],
    "    ",
  );
  return [`class ${name}(OpenEnum):`, ...doc, "", ...members].join("\n");
}

type DocTranslator = (doc: string) => string;

function classOf(
  type: ObjectType,
  doc: string,
  translateDoc: DocTranslator,
  outcomes: PaymentOutcomes,
): string {
  const base = type.role === "response" ? "Answer" : "Model";
  const fields = type.fields.map((each) => ({ ...each, attribute: attributeOf(each, type) }));
  const head = [
    "@dataclass(frozen=True, slots=True, kw_only=True)",
    `class ${type.name}(${base}):`,
    ...docstring([translateDoc(doc)], "    "),
  ];
  if (fields.length === 0) return head.join("\n");
  return [
    ...head,
    "",
    ...fields.flatMap((each) => declaration(each, type, translateDoc)),
    "",
    ...writeFromDict(fields),
    "",
    ...writeToDict(fields),
    ...(outcomes.types.includes(type.name) ? ["", ...writePythonOutcomeProperties(outcomes, type)] : []),
  ].join("\n");
}

interface NamedField extends Field {
  readonly attribute: string;
}

/** Names that the answer class uses, which a field of the interface must not have. */
const answerAttributes = new Set(
  "trace_id attempts is_success is_pending is_failure is_paid is_authorized is_failed".split(" "),
);

function attributeOf({ name }: Field, { role }: ObjectType): string {
  const attribute = snake(name);
  return role === "response" && answerAttributes.has(attribute) ? `${attribute}_` : attribute;
}

function declaration(each: NamedField, type: ObjectType, translateDoc: DocTranslator): string[] {
  const facts = [
    ...(each.isRequired ? [] : ["default=None"]),
    // Secret fields are left out of `repr`.
    ...(each.isSecret ? ["repr=False"] : []),
    ...(isHashable(each.type) ? [] : ["hash=False"]),
  ];
  const isPlain = !each.isSecret && isHashable(each.type);
  const value = isPlain ? (each.isRequired ? "" : " = None") : ` = field(${facts.join(", ")})`;
  const declarationLine = `    ${each.attribute}: ${annotationOf(each, type)}${value}`;
  return [
    declarationLine,
    ...docstring([translateDoc(describeField(each)), deprecatedDoc(each.deprecated)], "    "),
  ];
}

function annotationOf({ type, isRequired }: Field, { role }: ObjectType): string {
  const text = typeText(type, role === "response" || role === "notification");
  return isRequired ? text : `${text} | None`;
}

/** Dictionaries are not hashable in Python, so lists of them are not hashable either. */
function isHashable(type: TypeReference): boolean {
  if (type.kind === "list") return isHashable(type.of);
  return type.kind !== "map" && type.kind !== "anything";
}

/** A field of a response has the parsed type; a field of a request also accepts plain text. */
function typeText(type: TypeReference, isInResponse: boolean): string {
  switch (type.kind) {
    case "text":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "anything":
      return "Any";
    case "object":
      return type.name;
    case "enum":
      return isInResponse ? type.name : `${type.name} | str`;
    case "list":
      return isInResponse
        ? `tuple[${typeText(type.of, isInResponse)}, ...]`
        : `Sequence[${typeText(type.of, isInResponse)}]`;
    case "map":
      return `Mapping[str, ${typeText(type.of, isInResponse)}]`;
  }
}

function writeFromDict(fields: readonly NamedField[]): string[] {
  return [
    "    @classmethod",
    "    def from_dict(cls, data: Mapping[str, Any]) -> Self:",
    "        fields = Fields(data)",
    "        return cls(",
    ...fields.flatMap(({ name, attribute, type }) => {
      const converter = converterOf(type);
      const parts = [JSON.stringify(name), ...(converter === undefined ? [] : [converter])];
      return writeCall(`${attribute}=fields.take`, parts, ",", "            ");
    }),
    "            extra=fields.rest(),",
    "        )",
  ];
}

/** The function that converts a value from JSON; undefined if the value is used unchanged. */
function converterOf(type: TypeReference): string | undefined {
  switch (type.kind) {
    case "object":
      return `object_of(${type.name})`;
    case "enum":
      return `text_of(${type.name})`;
    case "list":
    case "map": {
      const converter = converterOf(type.of);
      if (type.kind === "list") return `list_of(${converter ?? "None"})`;
      return converter === undefined ? undefined : `map_of(${converter})`;
    }
    case "text":
    case "integer":
    case "number":
    case "boolean":
    case "anything":
      return undefined;
  }
}

function writeToDict(fields: readonly NamedField[]): string[] {
  return [
    "    def to_dict(self) -> dict[str, Any]:",
    "        return written(",
    "            {",
    ...fields.map(({ name, attribute }) => `                ${JSON.stringify(name)}: self.${attribute},`),
    "            },",
    "            self.extra,",
    "        )",
  ];
}
