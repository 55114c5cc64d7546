import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageNames } from "../../../clients/package-names.ts";
import { withAbsoluteLinks } from "./absolute-links.ts";
import {
  findRelativeLinks,
  entriesOf,
  findMissingFiles,
  run,
  type Entries,
  type Registry,
} from "./registry.ts";

const folder = "clients/python";
/** The versions of the build tools are pinned, because they determine the bytes of an archive. */
const tools = ["build==1.3.0", "hatchling==1.28.0", "twine==6.2.0"];

export const pypi: Registry = {
  name: "PyPI",
  language: "python",
  needs: ["pkg:pypi/cryptography"],
  purl: (version) => `pkg:pypi/${packageNames.pypi}@${pythonVersion(version)}`,

  async build({ root, version }, out) {
    const home = join(root, folder);
    const readme = join(home, "README.md");
    writeFileSync(readme, withAbsoluteLinks(readFileSync(readme, "utf8"), folder, version));
    const python = await pythonWithTools();
    await run(python, ["-m", "build", "--no-isolation", "--outdir", out, home]);
    return archives(version);
  },

  async check({ version }, out) {
    const python = await pythonWithTools();
    const files = archives(version).map((name) => join(out, name));
    const twine = await run(python, ["-m", "twine", "check", "--strict", ...files]).then(
      () => [],
      (error: Error) => [error.message],
    );
    const [wheel = "", source = ""] = files;
    return {
      problems: [
        ...wheelProblems(await entriesOf(wheel), version),
        ...findMissingFiles(await entriesOf(source), ["LICENSE", "README.md", "PKG-INFO"]).map(
          (what) => `sdist: ${what}`,
        ),
        ...twine,
      ],
      checks: ["twine check --strict", "METADATA, LICENSE, py.typed, links of the long description"],
    };
  },
};

/** `pythonVersion` returns a version in Python's format: `1.2.0-rc.1` becomes `1.2.0rc1`. */
function pythonVersion(version: string): string {
  return version.replace("-rc.", "rc");
}

function archives(version: string): string[] {
  const stem = `${packageNames.pypi.replaceAll("-", "_")}-${pythonVersion(version)}`;
  return [`${stem}-py3-none-any.whl`, `${stem}.tar.gz`];
}

/** A virtual environment with the build and check tools; it is kept, because downloading takes longer than using it. */
async function pythonWithTools(): Promise<string> {
  const environment = join(tmpdir(), "tollgate-release-python");
  const python = join(environment, "bin/python");
  if (existsSync(join(environment, "ready"))) return python;
  await run("python3", ["-m", "venv", "--clear", environment]);
  await run(python, ["-m", "pip", "install", "--quiet", ...tools]);
  writeFileSync(join(environment, "ready"), "");
  return python;
}

export function wheelProblems(entries: Entries, version: string): string[] {
  const [name = "", metadata] = [...entries].find(([each]) => each.endsWith(".dist-info/METADATA")) ?? [];
  const [head = "", ...body] = String(metadata ?? "").split("\n\n");
  const needed = [
    `Name: ${packageNames.pypi}`,
    `Version: ${pythonVersion(version)}`,
    "License-Expression: Apache-2.0",
    `Project-URL: Repository, ${packageNames.repository}`,
    "Description-Content-Type: text/markdown",
    "Requires-Python: >=3.10",
  ];
  return [
    ...(name === "" ? ["METADATA is missing"] : []),
    ...needed.filter((line) => !head.split("\n").includes(line)).map((line) => `METADATA has no ${line}`),
    ...findMissingFiles(entries, ["LICENSE", "py.typed"]),
    ...findRelativeLinks(body.join("\n\n")),
    ...[...entries.keys()].filter((each) => /(?:^|\/)tests?\//.test(each)).map((each) => `it has ${each}`),
  ];
}
