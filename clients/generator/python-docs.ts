import { namesIn } from "./python-modules.ts";
import { snake } from "./python-text.ts";
import type { Model, ObjectType } from "./model.ts";

/** Writes names of fields and operations in a text as Python has them. */
export function inPython({ areas, types }: Model): (doc: string) => string {
  const names = new Set([
    ...areas.flatMap(({ operations }) => operations.map(({ name }) => name)),
    ...types.flatMap(({ fields }) => fields.map(({ name }) => name)),
  ]);
  return (doc) =>
    doc.replaceAll(/`(\w+)`/g, (text, name: string) => (names.has(name) ? `\`${snake(name)}\`` : text));
}

/** What a type is. Every one has to say it: Python would otherwise make up something, and take long for that. */
export function typeDocs(model: Model): (type: ObjectType) => string {
  const bodies = new Map(
    model.areas.flatMap(({ operations }) =>
      operations.flatMap(({ area, name, request, response }) => [
        [request, `What \`client.${snake(area)}.${snake(name)}\` takes.`],
        [response, `What \`client.${snake(area)}.${snake(name)}\` answers.`],
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
    .filter(({ fields }) => fields.some(({ type }) => namesIn(type, "object").includes(part)))
    .map(({ name }) => `\`${name}\``);
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} and others` : names.join(" and ");
}
