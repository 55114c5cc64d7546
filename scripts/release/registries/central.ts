import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { packageNames } from "../../../clients/package-names.ts";
import { digestOf, entriesOf, findMissingFiles, run, type Registry } from "./registry.ts";

const folder = "clients/java";
const { mavenGroup, mavenArtifact } = packageNames;

/** Files that Central requires for one version, each with a signature and checksums. */
const kinds = [".pom", ".jar", "-sources.jar", "-javadoc.jar"];

export const central: Registry = {
  name: "Maven Central",
  language: "java",
  needs: [],
  purl: (version) => `pkg:maven/${mavenGroup}/${mavenArtifact}@${version}`,

  async build({ root, version }, out) {
    const home = join(root, folder);
    await run("mvn", ["--quiet", "--batch-mode", "-Prelease", "-DskipTests", "package"], { cwd: home });
    const stem = `${mavenArtifact}-${version}`;
    copyFileSync(join(home, "pom.xml"), join(out, `${stem}.pom`));
    for (const kind of kinds.slice(1))
      copyFileSync(join(home, "target", `${stem}${kind}`), join(out, `${stem}${kind}`));
    return kinds.map((kind) => `${stem}${kind}`);
  },

  async check(tree, out) {
    const bundle = await buildRehearsalBundle(tree.version, out);
    const names = globSync("**/*.*", { cwd: bundle }).map((name) => basename(name));
    const stem = `${mavenArtifact}-${tree.version}`;
    const pom = readFileSync(join(out, `${stem}.pom`), "utf8");
    const jars = await Promise.all(
      kinds.slice(1).map(async (kind) => {
        const entries = await entriesOf(join(out, stem + kind));
        const needed = kind === "-javadoc.jar" ? ["index.html"] : ["META-INF/LICENSE"];
        return findMissingFiles(entries, needed).map((what) => `${kind}: ${what}`);
      }),
    );
    const verified = await verify(bundle);
    rmSync(bundle, { recursive: true });
    return {
      problems: [
        ...pomProblems(pom, tree.version),
        ...bundleProblems(names, stem),
        ...jars.flat(),
        ...verified,
      ],
      checks: [
        "pom",
        "sources, javadoc, LICENSE",
        "gpg --verify with a temporary key",
        "md5, sha1, sha256, sha512",
      ],
    };
  },
};

/** The rehearsal signs the bundle with a temporary key. */
async function buildRehearsalBundle(version: string, out: string): Promise<string> {
  const bundle = mkdtempSync(join(tmpdir(), "tollgate-bundle-"));
  const home = join(bundle, ".gnupg");
  mkdirSync(home, { mode: 0o700 });
  const key = ["--quick-gen-key", "Rehearsal <nobody@tollgate.example>", "ed25519", "sign", "1d"];
  await run("gpg", [...gpgIn(home), ...key]);
  await fillBundle(bundle, version, out, home);
  return bundle;
}

const gpgIn = (home: string): string[] => [
  "--homedir",
  home,
  "--batch",
  "--quiet",
  "--pinentry-mode",
  "loopback",
  "--passphrase",
  "",
];

/** In the upload format: a folder for each part of the name, and next to each file its signature and checksums. */
export async function fillBundle(
  bundle: string,
  version: string,
  from: string,
  gpgHome: string,
): Promise<void> {
  const versionFolder = join(bundle, ...mavenGroup.split("."), mavenArtifact, version);
  mkdirSync(versionFolder, { recursive: true });
  for (const kind of kinds) {
    const name = `${mavenArtifact}-${version}${kind}`;
    const file = join(versionFolder, name);
    copyFileSync(join(from, name), file);
    await run("gpg", [...gpgIn(gpgHome), "--armor", "--detach-sign", file]);
    for (const algorithm of checksums) writeFileSync(`${file}.${algorithm}`, digestOf(file, algorithm));
  }
}

const checksums = ["md5", "sha1", "sha256", "sha512"];

async function verify(bundle: string): Promise<string[]> {
  const signatures = globSync("**/*.asc", { cwd: bundle });
  const home = ["--homedir", join(bundle, ".gnupg"), "--batch"];
  const errors = await Promise.all(
    signatures.map((name) =>
      run("gpg", [...home, "--verify", join(bundle, name), join(bundle, name.replace(/\.asc$/, ""))]).then(
        () => undefined,
        (error: Error) => error.message,
      ),
    ),
  );
  // Stops gpg-agent, which would outlive the folder.
  await run("gpgconf", ["--homedir", join(bundle, ".gnupg"), "--kill", "all"]);
  return errors.filter((problem) => problem !== undefined);
}

export function bundleProblems(names: readonly string[], stem: string): string[] {
  return kinds
    .flatMap((kind) =>
      ["", ".asc", ...checksums.map((each) => `.${each}`)].map((end) => `${stem}${kind}${end}`),
    )
    .filter((name) => !names.includes(name))
    .map((name) => `there is no ${name}`);
}

export function pomProblems(pom: string, version: string): string[] {
  // Central does not check names in dependencies and plugins, so they are left out.
  const projectPom = pom.replace(/<dependencies>[\s\S]*<\/dependencies>|<build>[\s\S]*<\/build>/g, "");
  // Developers and licenses have names and URLs, too; only unindented ones belong to the project itself.
  const needed = [
    /^ {2}<name>[^<]+<\/name>/m,
    /^ {2}<description>[^<]+<\/description>/m,
    /^ {2}<url>https:\/\/[^<]+<\/url>/m,
    /<licenses>\s*<license>\s*<name>Apache-2\.0<\/name>\s*<url>/,
    /<developers>\s*<developer>\s*<name>/,
    /<scm>\s*<connection>scm:git:[^<]+<\/connection>\s*<developerConnection>scm:git:[^<]+<\/developerConnection>\s*<url>/,
  ];
  return [
    ...needed
      .filter((pattern) => !pattern.test(projectPom))
      .map((pattern) => `pom does not contain ${pattern.source}`),
    ...(projectPom.includes(`<groupId>${mavenGroup}</groupId>`) ? [] : ["pom has another group"]),
    ...(projectPom.includes(`<version>${version}</version>`) ? [] : ["pom has another version"]),
    ...(/-SNAPSHOT/.test(pom) ? ["pom names a snapshot"] : []),
    ...(/<repositories>/.test(pom) ? ["pom defines its own repositories"] : []),
  ];
}
