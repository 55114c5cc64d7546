import { describeField } from "./field-doc.ts";
import { createDocTranslator } from "./python-docs.ts";
import { docstring, importOf, snake } from "./python-text.ts";
import type { Model } from "./model.ts";
import type { ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

/** Names of `CallOptions`: a field of a request must not have one of them. */
const optionNames = new Set(["timeout", "deadline", "max_retries", "headers", "raise_on_failure", "request"]);

/** The fields of each request as keyword arguments of its operation, followed by the options of the call. */
export function writeKeywords(model: Model): string[] {
  const translateDoc = createDocTranslator(model);
  const requests = model.types.filter(({ role }) => role === "request");
  const texts = requests.flatMap(({ fields }) => fields.map(({ type }) => typeText(type)));
  const usesType = (word: string): boolean => texts.some((text) => text.includes(word));
  return [
    [
      importOf("collections.abc", [...(usesType("Mapping[") ? ["Mapping"] : []), "Sequence"]),
      ...(usesType("Any") ? ["from typing import Any"] : []),
      "",
      "from . import models, params",
      importOf("._options", ["CallOptions"]),
    ].join("\n"),
    ...requests.map((type) => dictOf(type, translateDoc)),
  ];
}

function dictOf({ name, fields }: ObjectType, translateDoc: (doc: string) => string): string {
  const lines = fields.flatMap((field) => {
    const attribute = snake(field.name);
    if (optionNames.has(attribute))
      throw new Error(`${name}.${field.name} has the name of a call option in Python.`);
    return [
      `    ${attribute}: ${typeText(field.type)}`,
      ...docstring([translateDoc(describeField(field))], "    "),
    ];
  });
  return [
    `class ${name.replace(/Request$/, "")}Keywords(CallOptions, total=False):`,
    `    """The fields of \`${name}\`, and the options of the call."""`,
    ...(lines.length === 0 ? [] : ["", ...lines]),
  ].join("\n");
}

function typeText(type: TypeReference): string {
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
      return `models.${type.name} | params.${type.name}Dict`;
    case "enum":
      return `models.${type.name} | str`;
    case "list":
      return `Sequence[${typeText(type.of)}]`;
    case "map":
      return `Mapping[str, ${typeText(type.of)}]`;
  }
}
