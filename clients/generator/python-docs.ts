import { snake } from "./python-text.ts";
import type { Model } from "./model.ts";

/** Replaces wire names of fields and operations in a text by their Python names. */
export function createDocTranslator({ areas, types }: Model): (doc: string) => string {
  const names = new Set([
    ...areas.flatMap(({ operations }) => operations.map(({ name }) => name)),
    ...types.flatMap(({ fields }) => fields.map(({ name }) => name)),
  ]);
  return (doc) =>
    doc.replaceAll(/`(\w+)`/g, (text, name: string) => (names.has(name) ? `\`${snake(name)}\`` : text));
}
