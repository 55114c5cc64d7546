import { packageNames } from "../../clients/package-names.ts";

/** A place with the version; `VERSION` stands for it in the surrounding text. */
interface VersionOccurrence {
  readonly path: string;
  readonly text: string;
}

const archiveName = `${packageNames.npm.replace("@", "").replace("/", "-")}-VERSION.tgz`;

/** The version is chosen only here. `npm run version:write` copies it to all other places. */
export const versionSource = "package.json";

/** Everything released has the same version, so a bug report names gateway and library with one number. */
export const versionPlaces: readonly VersionOccurrence[] = [
  { path: "package-lock.json", text: '"name": "tollgate-repository", "version": "VERSION"' },
  { path: "package-lock.json", text: '"name": "tollgate", "version": "VERSION"' },
  { path: "package-lock.json", text: `"name": "${packageNames.npm}", "version": "VERSION"` },
  { path: "package-lock.json", text: '"name": "@tollgate/connector-kit", "version": "VERSION"' },
  { path: "package-lock.json", text: '"name": "@tollgate/connector-stripe", "version": "VERSION"' },
  { path: "package-lock.json", text: '"name": "@tollgate/sandbox", "version": "VERSION"' },
  { path: "package-lock.json", text: '"name": "@tollgate/server", "version": "VERSION"' },

  { path: "README.md", text: "./tollgate-VERSION.tgz" },

  { path: "server/package.json", text: '"version": "VERSION"' },
  { path: "server/src/core/version.ts", text: 'version = "VERSION"' },
  { path: "server/openapi.json", text: '"title": "Tollgate", "version": "VERSION"' },
  { path: "server/console-openapi.json", text: '"title": "Tollgate console", "version": "VERSION"' },

  { path: "accounts/package.json", text: '"version": "VERSION"' },
  { path: "portal/package.json", text: '"version": "VERSION"' },
  { path: "cli/package.json", text: '"version": "VERSION"' },

  { path: "connectors/kit/package.json", text: '"version": "VERSION"' },
  { path: "connectors/stripe/package.json", text: '"version": "VERSION"' },
  { path: "sandbox/package.json", text: '"version": "VERSION"' },
  { path: "sandbox/openapi.json", text: '"title": "Tollgate provider protocol", "version": "VERSION"' },

  { path: "deploy/compose.yaml", text: "localhost/tollgate:VERSION " },
  { path: "deploy/kube/staff.yaml", text: "localhost/tollgate:VERSION " },
  { path: "deploy/kube/tollgate.yaml", text: "localhost/tollgate:VERSION " },
  { path: "deploy/kube/try.yaml", text: "localhost/tollgate:VERSION " },
  { path: "docs/operating/releases.md", text: "tollgate-VERSION.oci.tar" },
  { path: "docs/operating/releases.md", text: "tollgate-VERSION.cdx.json" },
  { path: "deploy/helm/tollgate/Chart.yaml", text: " version: VERSION " },
  { path: "deploy/helm/tollgate/Chart.yaml", text: 'appVersion: "VERSION"' },

  { path: "clients/typescript/package.json", text: '"version": "VERSION"' },
  { path: "clients/typescript/src/version.ts", text: 'version = "VERSION"' },
  // The install line contains the version only until the library is published on npm.
  ...(packageNames.isPublished ? [] : [{ path: "clients/typescript/README.md", text: archiveName }]),

  ...["pom.xml", "examples/pom.xml", "README.md"].map((name) => ({
    path: `clients/java/${name}`,
    text: `<artifactId>${packageNames.mavenArtifact}</artifactId> <version>VERSION</version>`,
  })),
  { path: "clients/java/src/main/java/io/tollgate/internal/Version.java", text: 'TEXT = "VERSION"' },

  { path: "clients/php/composer.json", text: '"version": "VERSION"' },
  { path: "clients/php/src/Tollgate.php", text: "VERSION = 'VERSION'" },

  // pyproject.toml reads the version from this file.
  { path: "clients/python/src/tollgate_client/_version.py", text: 'VERSION = "VERSION"' },

  { path: "clients/go/version.go", text: 'Version = "VERSION"' },
  { path: "clients/go/README.md", text: `${packageNames.go}@vVERSION ` },
  { path: "clients/go/examples/go.mod", text: `${packageNames.go} vVERSION ` },
];

/** Reads a file of the repository, by its path from the root. */
export type ReadFile = (path: string) => string;

export function versionOf(read: ReadFile): string {
  return (JSON.parse(read(versionSource)) as { readonly version: string }).version;
}

/** Places with another version than the chosen one, or without a version. */
export function misplacedVersions(read: ReadFile): string[] {
  const version = versionOf(read);
  return versionPlaces.flatMap((place) => {
    const versions = [...read(place.path).matchAll(patternOf(place))].map((match) => match[2]);
    if (versions.length === 0) return [`${place.path}: nothing like ${place.text}`];
    return versions
      .filter((each) => each !== version)
      .map((each) => `${place.path}: ${each}, not ${version}`);
  });
}

/** `replaceVersions` returns every file that must change, with its new text. */
export function replaceVersions(read: ReadFile): ReadonlyMap<string, string> {
  const version = versionOf(read);
  const texts = new Map<string, string>();
  for (const place of versionPlaces) {
    const text = texts.get(place.path) ?? read(place.path);
    texts.set(place.path, text.replaceAll(patternOf(place), `$1${version}$3`));
  }
  return new Map([...texts].filter(([path, text]) => text !== read(path)));
}

/** A space in the text matches any white space. The last `VERSION` counts, because some constants have that name. */
function patternOf({ text }: VersionOccurrence): RegExp {
  const at = text.lastIndexOf("VERSION");
  const [before, after] = [text.slice(0, at), text.slice(at + "VERSION".length)].map((part) =>
    part.replaceAll(/[^\w ]/g, "\\$&").replaceAll(" ", "\\s+"),
  );
  return new RegExp(`(${before})(\\d+\\.\\d+\\.\\d+[\\w.+-]*?)(${after})`, "g");
}
