import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { packageNames } from "../package-names.ts";

/**
 * Writes the module in the format that Go's tools download, into a folder that serves as a module proxy:
 * `node clients/go/pack.ts [FOLDER]`, then `GOPROXY=file://FOLDER go get …`. The build is reproducible.
 */
const here = import.meta.dirname;
const folder = process.argv[2] ?? join(here, "dist");
const [, number = ""] = /Version = "([^"]+)"/.exec(readFileSync(join(here, "version.go"), "utf8")) ?? [];
const version = `v${number}`;

const names = globSync(
  ["*.go", "{internal,tollgatetest}/**/*.go", "go.mod", "LICENSE", "README.md", "CHANGELOG.md"],
  {
    cwd: here,
  },
).sort();
const files = names.map((name) => ({
  name: `${packageNames.go}@${version}/${name}`,
  content: readFileSync(join(here, name)),
}));

const place = join(folder, packageNames.go, "@v");
mkdirSync(place, { recursive: true });
writeFileSync(join(place, "list"), `${version}\n`);
writeFileSync(join(place, `${version}.info`), JSON.stringify({ Version: version }));
writeFileSync(join(place, `${version}.mod`), readFileSync(join(here, "go.mod")));
writeFileSync(join(place, `${version}.zip`), zipOf(files));

interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
}

/** A zip archive without timestamps, which would differ from build to build. */
function zipOf(entries: readonly ZipEntry[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content } of entries) {
    const [path, packed] = [Buffer.from(name), deflateRawSync(content)];
    const facts = factsOf(content, packed, path.length);
    const local = Buffer.concat([numbers([0x04034b50, 4], [20, 2]), facts, numbers([0, 2]), path, packed]);
    const places = numbers([0, 2], [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]);
    directory.push(numbers([0x02014b50, 4], [20, 2], [20, 2]), facts, places, path);
    bodies.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const count = entries.length;
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [listed.length, 4],
    [at, 4],
    [0, 2],
  );
  return Buffer.concat([...bodies, listed, end]);
}

/**
 * The fields that both headers of an entry have: names in UTF-8, deflate, the first day of 1980, checksum and
 * lengths.
 */
function factsOf(content: Buffer, packed: Buffer, nameLength: number): Buffer {
  return numbers(
    [0x0800, 2],
    [8, 2],
    [0, 2],
    [0x21, 2],
    [crc32(content), 4],
    [packed.length, 4],
    [content.length, 4],
    [nameLength, 2],
  );
}

/** Little-endian numbers, each with its number of bytes. */
function numbers(...all: readonly (readonly [value: number, bytes: number])[]): Buffer {
  return Buffer.concat(
    all.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}
