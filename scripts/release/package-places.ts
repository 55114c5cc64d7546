import { packageNames } from "../../clients/package-names.ts";

/** The name of a library in a registry; and `repository`, where the sources are. */
export type PackageName = Exclude<keyof typeof packageNames, "isPublished" | "isCommandPublished">;

/**
 * A place that must contain a package's name, besides the programs that import the package. `NAME` represents the name.
 */
interface NameOccurrence {
  readonly path: string;
  readonly name: PackageName;
  readonly text: string;
}

export const namesSource = "clients/package-names.ts";

export const namePlaces: readonly NameOccurrence[] = [
  { path: "clients/typescript/package.json", name: "npm", text: '"name": "NAME"' },
  { path: "clients/typescript/package.json", name: "repository", text: '"url": "git+NAME.git"' },
  { path: "clients/typescript/README.md", name: "npm", text: 'from "NAME"' },
  { path: "cli/src/init/languages.ts", name: "npm", text: '"NAME of npm"' },
  { path: "cli/templates/shop.mts", name: "npm", text: 'from "NAME"' },

  { path: "clients/java/pom.xml", name: "mavenGroup", text: "<groupId>NAME</groupId>" },
  { path: "clients/java/pom.xml", name: "mavenArtifact", text: "<artifactId>NAME</artifactId>" },
  { path: "clients/java/pom.xml", name: "repository", text: "<url>NAME</url>" },
  { path: "clients/java/README.md", name: "mavenGroup", text: "<groupId>NAME</groupId>" },
  { path: "clients/java/README.md", name: "mavenArtifact", text: "<artifactId>NAME</artifactId>" },
  { path: "cli/src/init/languages.ts", name: "mavenGroup", text: '"NAME:' },
  { path: "cli/src/init/languages.ts", name: "mavenArtifact", text: ":NAME of Maven Central" },

  { path: "clients/php/composer.json", name: "composer", text: '"name": "NAME"' },
  { path: "clients/php/composer.json", name: "repository", text: '"source": "NAME"' },
  { path: "clients/php/README.md", name: "composer", text: "composer require NAME" },
  { path: "cli/src/init/languages.ts", name: "composer", text: '"NAME of Packagist"' },

  { path: "clients/python/pyproject.toml", name: "pypi", text: 'name = "NAME"' },
  { path: "clients/python/pyproject.toml", name: "repository", text: 'Repository = "NAME"' },
  { path: "cli/src/init/languages.ts", name: "pypi", text: '"NAME of PyPI"' },

  { path: "clients/go/go.mod", name: "go", text: "module NAME" },
  { path: "clients/go/README.md", name: "go", text: "go get NAME@" },
  { path: "cli/src/init/languages.ts", name: "go", text: 'goModule = "NAME"' },
  { path: "cli/templates/shop.go", name: "go", text: '"NAME' },
];

export type Names = Readonly<Record<PackageName, string>>;

/** Places with another name than package-names.ts. */
export function misplacedNames(read: (path: string) => string, names: Names = packageNames): string[] {
  return namePlaces
    .map(({ path, name, text }) => ({ path, wanted: text.replace("NAME", names[name]) }))
    .filter(({ path, wanted }) => !read(path).includes(wanted))
    .map(({ path, wanted }) => `${path}: nothing like ${wanted}`);
}

/** Patterns that find a package's name in a text, and not the same letters with another meaning. */
const namePatterns: Readonly<Record<PackageName, (old: string) => readonly RegExp[]>> = {
  repository: (old) => [wholeNamePattern(old)],
  npm: (old) => [wholeNamePattern(old)],
  // The archive of `npm pack` is named `scope-name`.
  pypi: (old) => [new RegExp(`(?<![\\w@/.-])${escapeRegExp(old)}(?![\\w/-])`, "g")],
  mavenGroup: (old) => [
    new RegExp(`(?<=<groupId>)${escapeRegExp(old)}(?=</groupId>)`, "g"),
    new RegExp(`(?<=["'])${escapeRegExp(old)}(?=:)`, "g"),
  ],
  mavenArtifact: (old) => [
    new RegExp(`(?<=<artifactId>)${escapeRegExp(old)}(?=</artifactId>)`, "g"),
    new RegExp(`(?<=:)${escapeRegExp(old)}(?= of Maven)`, "g"),
  ],
  composer: (old) => [wholeNamePattern(old)],
  go: (old) => [wholeNamePattern(old)],
};

function wholeNamePattern(old: string): RegExp {
  return new RegExp(`(?<![\\w@/.-])${escapeRegExp(old)}(?![\\w-])`, "g");
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[^\w]/g, "\\$&");
}

/** The text of a file with another name; unchanged if the name is not in it. */
export function replaceName(text: string, name: PackageName, [from, to]: readonly [string, string]): string {
  const patterns = namePatterns[name](from);
  const named = patterns.reduce((now, pattern) => now.replaceAll(pattern, () => to), text);
  if (name === "npm") return named.replaceAll(archiveOf(from), archiveOf(to));
  return name === "go" ? named.replaceAll(`GONOSUMDB=${hostOf(from)}`, `GONOSUMDB=${hostOf(to)}`) : named;
}

/** The file name of `npm pack`, up to the version. */
function archiveOf(name: string): string {
  return `typescript/${name.replace("@", "").replace("/", "-")}-`;
}

function hostOf(module: string): string {
  return module.split("/")[0] ?? "";
}
