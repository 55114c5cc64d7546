import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, copyFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { packageNames } from "../../../clients/package-names.ts";
import { withAbsoluteLinks } from "./absolute-links.ts";
import { findRelativeLinks, entriesOf, run, type Entries, type Registry } from "./registry.ts";

const folder = "clients/go";
const megabyte = 1 << 20;

/** Go has no registry: its proxy fetches the module by a tag from the repository that the module's name points to. */
export const goProxy: Registry = {
  name: "Go module proxy",
  language: "go",
  needs: [],
  purl: (version) => `pkg:golang/${packageNames.go}@v${version}`,

  async build({ root, version }, out) {
    const home = join(root, folder);
    const readme = join(home, "README.md");
    writeFileSync(readme, withAbsoluteLinks(readFileSync(readme, "utf8"), folder, version));
    const proxy = join(out, "proxy");
    await run(process.execPath, ["pack.ts", proxy], { cwd: home });
    const name = `v${version}.zip`;
    copyFileSync(join(proxy, packageNames.go, "@v", name), join(out, name));
    return [name];
  },

  async check({ version }, out) {
    const archive = join(out, `v${version}.zip`);
    return {
      problems: [
        ...moduleProblems(await entriesOf(archive), version),
        ...(statSync(archive).size > 500 * megabyte ? ["it is larger than 500 MiB"] : []),
        ...(await problemsOfGo(join(out, "proxy"), version)),
      ],
      checks: [
        "go mod download and go mod verify from a proxy",
        "go vet of a program with it",
        "names, sizes, LICENSE",
      ],
    };
  },
};

/** `problemsOfGo` downloads the library from the proxy in an empty Go module. Go compares its checksum with go.sum. */
async function problemsOfGo(proxy: string, version: string): Promise<string[]> {
  const project = mkdtempSync(join(tmpdir(), "tollgate-go-project-"));
  mkdirSync(join(project, "cache"));
  const env = {
    GOPROXY: `file://${proxy}`,
    GONOSUMDB: "*",
    GONOSUMCHECK: "1",
    GOFLAGS: "-mod=mod -modcacherw",
    GOMODCACHE: join(project, "cache"),
  };
  const go = (...words: readonly string[]): Promise<string> => run("go", words, { cwd: project, env });
  writeFileSync(
    join(project, "main.go"),
    `package main\n\nimport "${packageNames.go}"\n\nfunc main() { println(tollgate.Version) }\n`,
  );
  try {
    await go("mod", "init", "shop.example");
    await go("get", `${packageNames.go}@v${version}`);
    await go("mod", "verify");
    await go("vet", ".");
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** `moduleProblems` checks a module archive by the rules of golang.org/x/mod/zip. */
export function moduleProblems(entries: Entries, version: string): string[] {
  const prefix = `${packageNames.go}@v${version}/`;
  const names = [...entries.keys()];
  const inside = names.map((name) => name.slice(prefix.length));
  const module = String(entries.get(`${prefix}go.mod`) ?? "");
  const major = /^v?(\d+)/.exec(version)?.[1] ?? "0";
  const needsSuffix = Number(major) >= 2 && !packageNames.go.endsWith(`/v${major}`);
  const folded = inside.map((name) => name.toLowerCase());
  return [
    ...names.filter((name) => !name.startsWith(prefix)).map((name) => `${name} is outside of ${prefix}`),
    ...(module.startsWith(`module ${packageNames.go}\n`) ? [] : ["go.mod names another module"]),
    ...(/^require/m.test(module) ? ["go.mod requires something"] : []),
    ...(needsSuffix ? [`from version 2 on, its name must end in /v${major}`] : []),
    ...inside
      .filter((name) => /(?:^|\/)(?:\.|vendor\/)|[^\w./-]/.test(name))
      .map((name) => `${name} is not a valid file name`),
    ...folded
      .filter((name, index) => folded.indexOf(name) !== index)
      .map((name) => `two files are named ${name}`),
    ...[...entries]
      .filter(([name, { length }]) => length > 16 * megabyte && /(?:go\.mod|LICENSE)$/.test(name))
      .map(([name]) => `${basename(name)} is larger than 16 MiB`),
    ...["go.mod", "LICENSE", "README.md"]
      .filter((name) => !inside.includes(name))
      .map((name) => `there is no ${name}`),
    ...inside.filter((name) => name.endsWith("/go.mod")).map((name) => `${name} is a separate module`),
    ...findRelativeLinks(String(entries.get(`${prefix}README.md`) ?? "")),
  ];
}
