import type { Model } from "./model.ts";
import type { TypeReference } from "./type-reference.ts";

/** Returns all types that a request contains, directly or indirectly. */
export function typesInRequests({ types }: Model): ReadonlySet<string> {
  const byName = new Map(types.map((type) => [type.name, type]));
  const typeNames = new Set<string>();
  const visit = (name: string): void => {
    if (typeNames.has(name)) return;
    typeNames.add(name);
    for (const { type } of byName.get(name)?.fields ?? []) collectObjectNames(type).forEach(visit);
  };
  for (const { name, role } of types) if (role === "request") visit(name);
  return typeNames;
}

/** Types that only the gateway writes: a new field in them is a compatible change. */
export function responseOnlyTypes(model: Model): ReadonlySet<string> {
  const requestTypes = typesInRequests(model);
  return new Set(model.types.map(({ name }) => name).filter((name) => !requestTypes.has(name)));
}

export function collectObjectNames(type: TypeReference): string[] {
  if (type.kind === "object") return [type.name];
  return type.kind === "list" || type.kind === "map" ? collectObjectNames(type.of) : [];
}
