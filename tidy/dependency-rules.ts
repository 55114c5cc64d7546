import { posix } from "node:path";
import { foldersOf, type SourceFile } from "./tidy.ts";

type Names = Readonly<Record<string, string>>;

interface LockedPackage {
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly peerDependencies?: Names;
}

/** Every package of a lock file, with its installation folder. */
export function lockedPackages(lock: SourceFile): [place: string, LockedPackage][] {
  const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(lock.text);
  return Object.entries(packages);
}

/** Transitive dependencies: the folders of all packages that the one at `from` needs at run time. */
export function runTimeClosure(
  lockedList: readonly [place: string, LockedPackage][],
  from: string,
): Set<string> {
  const packages = new Map(lockedList);
  const closure = new Set<string>();
  const visit = (place: string): void => {
    const { dependencies, optionalDependencies, peerDependencies } = packages.get(place) ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      // Node's module resolution, from the innermost folder outwards.
      const found = [place, ...foldersOf(place)]
        .map((folder) => posix.join(folder, "node_modules", name))
        .find((candidate) => packages.has(candidate));
      // A missing required package counts as well, so that a failed resolution does not look like a small tree.
      const next = found ?? (dependencies && name in dependencies ? `${name}, which is missing` : undefined);
      if (next === undefined || closure.has(next)) continue;
      closure.add(next);
      visit(next);
    }
  };
  visit(from);
  return closure;
}

/** The run-time dependencies of a client library, except the allowed ones. */
export function clientDependencies({ path, text }: SourceFile): string[] {
  if (path.endsWith(".toml")) {
    const [, list = ""] = /^dependencies\s*=\s*\[([^\]]*)\]/m.exec(text) ?? [];
    // Python cannot sign with RSA without a package.
    return list.match(/(?<=["'])[\w.-]+/g)?.filter((name) => name !== "cryptography") ?? [];
  }
  if (path.endsWith(".xml")) {
    return (text.match(/<dependency>[\s\S]*?<\/dependency>/g) ?? []).filter(
      (xml) => !xml.includes("<scope>test<"),
    );
  }
  if (path.endsWith(".mod")) return text.match(/^\s*(?:require )?[\w.-]+\.[\w./-]+ v\S+/gm) ?? [];
  const manifest: Record<string, Names | undefined> = JSON.parse(text);
  return ["dependencies", "optionalDependencies", "peerDependencies", "require"]
    .flatMap((key) => Object.keys(manifest[key] ?? {}))
    .filter((name) => !/^(?:php$|ext-)/.test(name));
}
