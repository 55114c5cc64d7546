import { snake } from "./python-text.ts";
import type { Model } from "./model.ts";
import type { ObjectType } from "./types-of-schemas.ts";
import type { TypeReference } from "./type-reference.ts";

/**
 * Types that are loaded together: the types of one operation or webhook, or one type that several of them
 * need.
 */
export interface Module {
  readonly name: string;
  readonly doc: string;
  readonly types: readonly ObjectType[];
}

/**
 * Small modules, so that a program loads only the types that it uses: creating a dataclass is slow in Python.
 */
export function modulesOf(model: Model): Module[] {
  const roots = rootsOf(model);
  const owners = ownersOf(model, roots);
  const isShared = ({ name }: ObjectType): boolean => (owners.get(name)?.size ?? 0) > 1;
  const sharedModules = model.types.filter(isShared).map((type) => ({
    name: snake(type.name),
    doc: `\`${type.name}\`, a part of several messages.`,
    types: [type],
  }));
  const rootModules = roots.map(({ name, doc }) => ({
    name,
    doc,
    types: model.types.filter((type) => !isShared(type) && owners.get(type.name)?.has(name)),
  }));
  return [...sharedModules, ...rootModules].filter(({ types }) => types.length > 0);
}

export function namesIn(type: TypeReference, kind: "object" | "enum"): string[] {
  if (type.kind === "list" || type.kind === "map") return namesIn(type.of, kind);
  return type.kind === kind ? [type.name] : [];
}

interface Root {
  readonly name: string;
  readonly doc: string;
  readonly bodies: readonly string[];
}

function rootsOf({ areas, notifications }: Model): Root[] {
  return [
    ...areas.flatMap(({ operations }) =>
      operations.map(({ area, name, summary, request, response }) => ({
        name: `${snake(area)}_${snake(name)}`,
        doc: summary,
        bodies: [request, response],
      })),
    ),
    ...notifications.map(({ kind, summary, type }) => ({ name: snake(kind), doc: summary, bodies: [type] })),
  ];
}

/** Returns the modules that need each type. */
function ownersOf({ types }: Model, roots: readonly Root[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byName = new Map(types.map((type) => [type.name, type]));
  const owners = new Map<string, Set<string>>();
  const visit = (typeName: string, root: string): void => {
    const visited = owners.get(typeName) ?? new Set();
    if (visited.has(root)) return;
    owners.set(typeName, visited.add(root));
    const parts = byName.get(typeName)?.fields.flatMap(({ type }) => namesIn(type, "object")) ?? [];
    for (const part of parts) visit(part, root);
  };
  for (const { name, bodies } of roots) for (const body of bodies) visit(body, name);
  return owners;
}
