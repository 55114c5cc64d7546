import type { KeyObject } from "node:crypto";
import type { ChainHead, ChainProblem } from "../../audit/audit-chain.ts";
import type { SignedHead } from "../../audit/signed-head.ts";
import type { CommandArguments, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";

/** Options of `audit verify` with the anchors to compare with. */
export const anchorOptions: Options = {
  anchor: {
    value: "ANCHOR",
    summary: "Output of `audit head`, or an anchor from the log of `work` or the signer",
  },
  anchors: { value: "FILE", summary: "File with anchors, or a log of `work` or the signer" },
};

/** Options for signed anchors. Only the gateway's own audit log has them. */
export const gatewayKeyOption: Options = {
  "gateway-key": {
    value: "FILE",
    summary: "PEM file with gateway public keys that signed the anchors (default: from the database)",
  },
};

/** An anchor: an audit head that was stored outside of the database. Heads in a worker's log are signed. */
export type Anchor = ChainHead & { readonly signedHead?: SignedHead };

export async function readAnchors(args: CommandArguments): Promise<readonly Anchor[]> {
  const [{ parseAnchor }, { findAnchor, parseSignedHead }, { readFile }] = await Promise.all([
    import("../../audit/audit-chain.ts"),
    import("../../audit/signed-head.ts"),
    import("node:fs/promises"),
  ]);
  const file = args.value("anchors");
  const lines =
    file === undefined ? [] : (await readFile(file, "utf8")).split("\n").filter((line) => line.trim());
  const texts = [args.value("anchor") ?? [], lines].flat().map(findAnchor);
  return texts.flatMap((text) => {
    if (text === undefined) return [];
    const signedHead = parseSignedHead(text);
    const anchor = signedHead ? { ...signedHead.head, signedHead } : parseAnchor(text);
    if (!anchor)
      throw new UsageError(
        `${text} is not an anchor. Write COUNT:HASH, as printed by \`tollgate audit head\`.`,
      );
    return [anchor];
  });
}

/** Returns signed heads with an invalid signature: they are forged, or belong to another installation. */
export async function findInvalidSignatures(
  anchors: readonly Anchor[],
  environment: string,
  keyOf: (version: number) => readonly KeyObject[],
): Promise<readonly ChainProblem[]> {
  const [{ verify }, { signedHeadBytes }] = await Promise.all([
    import("node:crypto"),
    import("../../audit/signed-head.ts"),
  ]);
  return anchors.flatMap(({ count, signedHead }) => {
    if (!signedHead) return [];
    const bytes = signedHeadBytes(environment, signedHead);
    const isValid = keyOf(signedHead.keyVersion).some((key) =>
      verify("sha256", bytes, key, signedHead.signature),
    );
    const at = new Date(signedHead.at * 1000).toISOString();
    const problem = `The anchor of ${at} is not signed by gateway key ${signedHead.keyVersion}.`;
    return isValid ? [] : [{ seq: count, problem }];
  });
}
