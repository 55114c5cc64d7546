import type { Model, ObjectType } from "./model.ts";
import type { TypeReference } from "./type-reference.ts";

/** What a type is, in a sentence: what the document says of it, or else what it is for. `callOf` writes a call as the language has it. */
export function typeDocs(
  model: Model,
  callOf: (area: string, operation: string) => string,
): (type: ObjectType) => string {
  const bodies = new Map(
    model.areas.flatMap(({ operations }) =>
      operations.flatMap(({ area, name, request, response }) => [
        [request, `What \`${callOf(area, name)}\` takes.`],
        [response, `What \`${callOf(area, name)}\` answers.`],
      ]),
    ),
  );
  const told = new Map(model.notifications.map(({ type, summary }) => [type, summary]));
  return ({ name, doc }) =>
    doc || (bodies.get(name) ?? told.get(name) ?? `Part of ${placesOf(model, name)}.`);
}

/** The types that have a part of this name. */
function placesOf({ types }: Model, part: string): string {
  const names = types
    .filter(({ fields }) => fields.some(({ type }) => isOf(type, part)))
    .map(({ name }) => `\`${name}\``);
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} and others` : names.join(" and ");
}

function isOf(type: TypeReference, name: string): boolean {
  if (type.kind === "list" || type.kind === "map") return isOf(type.of, name);
  return type.kind === "object" && type.name === name;
}
