import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

/**
 * Writes each file of a built portal once more, compressed with Brotli as far as it goes: a sixth less than gzip. That takes seconds, so it
 * is done once, where the portal is built for others; accounts serve what they find.
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
