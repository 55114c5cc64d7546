import { packageNames } from "../package-names.ts";

/**
 * How a library is installed, for its README: from this repository, until it is published under the names that are ours then. So whoever publishes changes one
 * word in `package-names.ts`, and no page goes on naming what a registry does not have.
 */
export function installPart(language: string, version: string): string {
  const part = (packageNames.isPublished ? published : unpublished)[language];
  if (part === undefined) throw new Error(`How is the library for ${language} installed?`);
  return part(version);
}

type Parts = Readonly<Record<string, (version: string) => string>>;

const shell = (...lines: readonly string[]): string => `\`\`\`sh\n${lines.join("\n")}\n\`\`\``;

const dependency = (version: string): string => `\`\`\`xml
<dependency>
  <groupId>${packageNames.mavenGroup}</groupId>
  <artifactId>${packageNames.mavenArtifact}</artifactId>
  <version>${version}</version>
</dependency>
\`\`\``;

/** Composer refuses a release candidate unless the line asks for one. */
const requirePhp = (version: string): string =>
  `composer require ${packageNames.composer}${/-rc/i.test(version) ? ":@RC" : ""}`;

/** What `npm pack` calls its archive. */
const archive = packageNames.npm.replace("@", "").replace("/", "-");

const unpublished: Parts = {
  typescript: (
    version,
  ) => `Not published yet. Build it in the repository (Node 24, after \`npm ci\`), and install the archive into your project:

${shell(
  "(cd tollgate/clients/typescript && npm run build && npm pack)",
  `npm install ./tollgate/clients/typescript/${archive}-${version}.tgz`,
)}`,

  java: (
    version,
  ) => `Not published yet. Build it in the repository, into your own Maven repository: \`mvn -f tollgate/clients/java install -DskipTests\`. Then:

${dependency(version)}`,

  php: (
    version,
  ) => `Not published yet. Tell Composer where the repository is, and it takes the library from there. In a folder without a
\`composer.json\`, run \`composer init --no-interaction --name=shop/shop\` first.

${shell("composer config repositories.tollgate path ./tollgate/clients/php", requirePhp(version))}`,

  python:
    () => `Not published yet. Install it from the repository; \`import tollgate_client\` is its name in your program. The package that is called
\`tollgate\` on the Python index is somebody else's.

${shell("pip install ./tollgate/clients/python")}`,

  go: (
    version,
  ) => `Not published yet. \`${packageNames.go}\` is a placeholder that nobody can publish under, because \`.example\` belongs to nobody; whoever publishes
the library [puts another name there](#work-on-it). Until then, make its archive in the repository (Node 24), and let Go take it from there:

${shell(
  "node tollgate/clients/go/pack.ts",
  `export GOPROXY="file://$PWD/tollgate/clients/go/dist,$(go env GOPROXY)" GONOSUMDB=${packageNames.go.split("/")[0]}`,
  "go mod init shop.example",
  `go get ${packageNames.go}@v${version}`,
)}`,
};

const published: Parts = {
  typescript: () => shell(`npm install ${packageNames.npm}`),
  java: (version) => `${dependency(version)}

With Gradle: \`implementation("${packageNames.mavenGroup}:${packageNames.mavenArtifact}:${version}")\`.`,
  php: (version) => shell(requirePhp(version)),
  python: () => `\`import tollgate_client\` is its name in your program.

${shell(`pip install ${packageNames.pypi}`)}`,
  go: (version) => shell(`go get ${packageNames.go}@v${version}`),
};
