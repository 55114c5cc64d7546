import type { Model } from "./model.ts";
import type { TypeReference } from "./type-reference.ts";

/** Returns all types that a request contains, directly or indirectly. */
export function writtenTypes({ types }: Model): ReadonlySet<string> {
  const byName = new Map(types.map((type) => [type.name, type]));
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const { type } of byName.get(name)?.fields ?? []) objectsIn(type).forEach(visit);
  };
  for (const { name, role } of types) if (role === "request") visit(name);
  return found;
}

/** Types that only the gateway writes: a new field in them is a compatible change. */
export function typesOnlyRead(model: Model): ReadonlySet<string> {
  const written = writtenTypes(model);
  return new Set(model.types.map(({ name }) => name).filter((name) => !written.has(name)));
}

export function objectsIn(type: TypeReference): string[] {
  if (type.kind === "object") return [type.name];
  return type.kind === "list" || type.kind === "map" ? objectsIn(type.of) : [];
}
