import { packageNames } from "../package-names.ts";

/**
 * The installation part of a library's README. Until the library is published, it is installed from this
 * repository. After publication, change the names in `package-names.ts`; all pages follow.
 */
export function installPart(language: string, version: string): string {
  const writePart = (packageNames.isPublished ? published : unpublished)[language];
  if (writePart === undefined)
    throw new Error(`No installation text for the ${language} library. Add it to install-part.ts.`);
  return writePart(version);
}

type InstallTexts = Readonly<Record<string, (version: string) => string>>;

const shellBlock = (...lines: readonly string[]): string => `\`\`\`sh\n${lines.join("\n")}\n\`\`\``;

const mavenDependency = (version: string): string => `\`\`\`xml
<dependency>
  <groupId>${packageNames.mavenGroup}</groupId>
  <artifactId>${packageNames.mavenArtifact}</artifactId>
  <version>${version}</version>
</dependency>
\`\`\``;

/** Composer installs a release candidate only if the command names its stability. */
const composerRequire = (version: string): string =>
  `composer require ${packageNames.composer}${/-rc/i.test(version) ? ":@RC" : ""}`;

/** The archive's file name, as `npm pack` builds it. */
const archiveName = packageNames.npm.replace("@", "").replace("/", "-");

const unpublished: InstallTexts = {
  typescript: (
    version,
  ) => `Not published yet. Build the library in the repository (Node 24, after \`npm ci\`), and install the archive into your project:

${shellBlock(
  "(cd tollgate/clients/typescript && npm run build && npm pack)",
  `npm install ./tollgate/clients/typescript/${archiveName}-${version}.tgz`,
)}`,

  java: (
    version,
  ) => `Not published yet. Build the library in the repository, into your own Maven repository: \`mvn -f tollgate/clients/java install -DskipTests\`. Then:

${mavenDependency(version)}`,

  php: (
    version,
  ) => `Not published yet. Add the folder of the library to Composer's repositories; Composer then installs the library from this folder. In a folder without a
\`composer.json\`, run \`composer init --no-interaction --name=shop/shop\` first.

${shellBlock("composer config repositories.tollgate path ./tollgate/clients/php", composerRequire(version))}`,

  python:
    () => `Not published yet. Install the library from the repository, and import it as \`tollgate_client\`. The package
\`tollgate\` on PyPI is not ours.

${shellBlock("pip install ./tollgate/clients/python")}`,

  go: (
    version,
  ) => `Not published yet. The module path \`${packageNames.go}\` is a placeholder. The domain \`.example\` is reserved, so no attacker can publish a module under this path.
The module path [changes when the library is published](#work-on-it). Until then, build the library's archive in the repository (Node 24), and configure Go to use it:

${shellBlock(
  "node tollgate/clients/go/pack.ts",
  `export GOPROXY="file://$PWD/tollgate/clients/go/dist,$(go env GOPROXY)" GONOSUMDB=${packageNames.go.split("/")[0]}`,
  "go mod init shop.example",
  `go get ${packageNames.go}@v${version}`,
)}`,
};

const published: InstallTexts = {
  typescript: () => shellBlock(`npm install ${packageNames.npm}`),
  java: (version) => `${mavenDependency(version)}

With Gradle: \`implementation("${packageNames.mavenGroup}:${packageNames.mavenArtifact}:${version}")\`.`,
  php: (version) => shellBlock(composerRequire(version)),
  python: () => `Import it as \`tollgate_client\`.

${shellBlock(`pip install ${packageNames.pypi}`)}`,
  go: (version) => shellBlock(`go get ${packageNames.go}@v${version}`),
};
