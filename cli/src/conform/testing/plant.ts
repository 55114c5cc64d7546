import { registerHooks } from "node:module";

/**
 * Preloaded into a program, it plants a fault: PLANTED='{"file":"…","find":"…","put":"…"}' replaces a text of one of its modules
 * while that is loaded. So a copy with a fault is the real program, but for one line.
 */
interface Planted {
  /** The end of the module's path. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

const { file, find, put } = JSON.parse(process.env["PLANTED"] ?? "{}") as Planted;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(file)) return loaded;
    const text = Buffer.from((loaded.source ?? "") as string).toString("utf8");
    // A fault that is not planted would not be found either.
    if (text.split(find).length !== 2) throw new Error(`${file} has this not exactly once: ${find}`);
    return { ...loaded, source: text.replace(find, () => put) };
  },
});
