import type { KeyObject } from "node:crypto";
import type { ChainHead, ChainProblem } from "../audit/audit-chain.ts";
import type { SignedHead } from "../audit/signed-head.ts";
import { UsageError, type Given, type Options } from "./command.ts";

/** What `audit verify` is given to compare with. */
export const anchorOptions: Options = {
  anchor: {
    value: "ANCHOR",
    does: "what `audit head` printed once, or `work` or the signer wrote to its log",
  },
  anchors: { value: "FILE", does: "a file of such lines, or a log of `work` or of the signer" },
};

/** Options for heads that a worker has signed; only the gateway's own audit has them. */
export const gatewayKeyOption: Options = {
  "gateway-key": {
    value: "FILE",
    does: "public keys of the gateway, PEM, to check signed anchors with; those of the database, unless said otherwise",
  },
};

/** A head that was kept; one that a worker has told is signed. */
export type Anchor = ChainHead & { readonly signed?: SignedHead };

export async function anchorsIn(given: Given): Promise<readonly Anchor[]> {
  const [{ readAnchor }, { anchorIn, readSignedHead }, { readFile }] = await Promise.all([
    import("../audit/audit-chain.ts"),
    import("../audit/signed-head.ts"),
    import("node:fs/promises"),
  ]);
  const file = given.value("anchors");
  const lines =
    file === undefined ? [] : (await readFile(file, "utf8")).split("\n").filter((line) => line.trim());
  const texts = [given.value("anchor") ?? [], lines].flat().map(anchorIn);
  return texts.flatMap((text) => {
    if (text === undefined) return [];
    const signed = readSignedHead(text);
    const anchor = signed ? { ...signed.head, signed } : readAnchor(text);
    if (!anchor) throw new UsageError(`${text} is no anchor: \`tollgate audit head\` prints COUNT:HASH.`);
    return [anchor];
  });
}

/** Signed heads whose signature does not hold: somebody has made them up, or they are another installation's. */
export async function unsignedHeads(
  anchors: readonly Anchor[],
  environment: string,
  keyOf: (version: number) => readonly KeyObject[],
): Promise<readonly ChainProblem[]> {
  const [{ verify }, { headBytes }] = await Promise.all([
    import("node:crypto"),
    import("../audit/signed-head.ts"),
  ]);
  return anchors.flatMap(({ count, signed }) => {
    if (!signed) return [];
    const bytes = headBytes(environment, signed);
    const holds = keyOf(signed.keyVersion).some((key) => verify("sha256", bytes, key, signed.signature));
    const at = new Date(signed.at * 1000).toISOString();
    const problem = `The anchor of ${at} is not signed by gateway key ${signed.keyVersion}.`;
    return holds ? [] : [{ seq: count, problem }];
  });
}
