import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

/**
 * `compressPortal` adds a Brotli-compressed copy of each file of a built portal, about a sixth smaller than gzip. It
 * takes seconds, so it runs once when a package or image is built. Accounts serve the files that exist.
 */
export async function compressPortal(folder: string): Promise<void> {
  const assets = join(folder, "assets");
  const names = (await readdir(assets)).filter((name) => /\.(?:js|css|svg)$/.test(name));
  for (const name of names) {
    const plain = await readFile(join(assets, name));
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
    await writeFile(join(assets, `${name}.br`), await promisify(brotliCompress)(plain, { params }));
  }
}
