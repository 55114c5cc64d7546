import { registerHooks } from "node:module";

/**
 * Preloaded into a program, it seeds a bug: SEEDED_BUG='{"file":"…","find":"…","put":"…"}' replaces a text of one of its
 * modules while Node loads it. The tested program differs from the real one by one line.
 */
interface SeededBug {
  /** The end of the path of the module to change. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

const { file, find, put } = JSON.parse(process.env["SEEDED_BUG"] ?? "{}") as SeededBug;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(file)) return loaded;
    const text = Buffer.from((loaded.source ?? "") as string).toString("utf8");
    // Throws unless the text occurs exactly once. Without this check a test could pass although no bug was seeded.
    if (text.split(find).length !== 2)
      throw new Error(`${file} must contain this text exactly once: ${find}`);
    return { ...loaded, source: text.replace(find, () => put) };
  },
});
