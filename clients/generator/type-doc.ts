import type { Model } from "./model.ts";
import type { ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

/**
 * Returns the description of a type: from the document, or else by its use. `callOf` writes a call in the
 * syntax of the language.
 */
export function createTypeDescriber(
  model: Model,
  callOf: (area: string, operation: string) => string,
): (type: ObjectType) => string {
  const bodies = new Map(
    model.areas.flatMap(({ operations }) =>
      operations.flatMap(({ area, name, request, response }) => [
        [request, `The request of \`${callOf(area, name)}\`.`],
        [response, `The response of \`${callOf(area, name)}\`.`],
      ]),
    ),
  );
  const notificationDocs = new Map(model.notifications.map(({ type, summary }) => [type, summary]));
  return ({ name, doc }) =>
    doc || (bodies.get(name) ?? notificationDocs.get(name) ?? `Part of ${listContainingTypes(model, name)}.`);
}

/** Lists the types that contain a part of this name. */
function listContainingTypes({ types }: Model, part: string): string {
  const names = types
    .filter(({ fields }) => fields.some(({ type }) => containsType(type, part)))
    .map(({ name }) => `\`${name}\``);
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} and others` : names.join(" and ");
}

function containsType(type: TypeReference, name: string): boolean {
  if (type.kind === "list" || type.kind === "map") return containsType(type.of, name);
  return type.kind === "object" && type.name === name;
}
