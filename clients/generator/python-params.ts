import { describeField } from "./field-doc.ts";
import { namesIn } from "./python-modules.ts";
import { deprecatedDoc, docstring, importOf, snake } from "./python-text.ts";
import { createTypeDescriber } from "./type-doc.ts";
import type { Model } from "./model.ts";
import type { ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

/** The types that a client can send: requests and their parts. */
export function paramsOf(model: Model): string[] {
  const types = findSendableTypes(model);
  const docs = createTypeDescriber(model, (area, name) => `client.${snake(area)}.${snake(name)}`);
  const hasAny = types.some(({ fields }) => fields.some(({ type }) => typeText(type).includes("Any")));
  return [
    [
      "from collections.abc import Sequence",
      `from typing import ${hasAny ? "Any, " : ""}TypedDict\n`,
      "from . import models",
      importOf("._typing", ["NotRequired"]),
    ].join("\n"),
    ...types.map((type) => dictOf(type, docs(type))),
  ];
}

function findSendableTypes({ types }: Model): ObjectType[] {
  const byName = new Map(types.map((type) => [type.name, type]));
  const sendable = new Set<ObjectType>();
  const visit = (type: ObjectType): void => {
    if (sendable.has(type)) return;
    sendable.add(type);
    for (const name of type.fields.flatMap((field) => namesIn(field.type, "object"))) {
      const part = byName.get(name);
      if (part) visit(part);
    }
  };
  for (const type of types) if (type.role === "request") visit(type);
  return types.filter((type) => sendable.has(type));
}

function dictOf(type: ObjectType, typeDescription: string): string {
  const fields = type.fields.flatMap((field) => {
    const text = typeText(field.type);
    const annotation = field.isRequired ? text : `NotRequired[${text}]`;
    return [
      `    ${field.name}: ${annotation}`,
      ...docstring([describeField(field), deprecatedDoc(field.deprecated)], "    "),
    ];
  });
  const separator = fields.length > 0 ? [""] : [];
  return [
    `class ${type.name}Dict(TypedDict):`,
    ...docstring([typeDescription], "    "),
    ...separator,
    ...fields,
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
      return `${type.name}Dict`;
    case "enum":
      return `models.${type.name} | str`;
    case "list":
      return `Sequence[${typeText(type.of)}]`;
    case "map":
      return `dict[str, ${typeText(type.of)}]`;
  }
}
