import type { ChainHead } from "../audit/audit-chain.ts";
import { UsageError, type Given, type Options } from "./command.ts";

/** What `audit verify` is given to compare with. */
export const anchorOptions: Options = {
  anchor: { value: "COUNT:HASH", does: "what `audit head` printed once" },
  anchors: { value: "FILE", does: "a file of such lines" },
};

export async function anchorsIn(given: Given): Promise<readonly ChainHead[]> {
  const [{ readAnchor }, { readFile }] = await Promise.all([
    import("../audit/audit-chain.ts"),
    import("node:fs/promises"),
  ]);
  const file = given.value("anchors");
  const lines =
    file === undefined ? [] : (await readFile(file, "utf8")).split("\n").filter((line) => line.trim());
  return [given.value("anchor") ?? [], lines].flat().map((line) => {
    const anchor = readAnchor(line);
    if (!anchor) throw new UsageError(`${line} is no anchor: \`tollgate audit head\` prints COUNT:HASH.`);
    return anchor;
  });
}
