import type { ApiLine } from "./report.ts";

/** Packages that the module exports. Others may change at any time. */
export const exportedPackages = [
  "io/tollgate",
  "io/tollgate/exception",
  "io/tollgate/model",
  "io/tollgate/testing",
];

/** Interfaces that only the library implements: a new method in them is a compatible change. */
const implementedByLibrary = new Set([
  "io.tollgate.Answer",
  "io.tollgate.CodeResult",
  "io.tollgate.OpenCode",
]);

/**
 * Reads the output of `javap -protected`. Leaves out methods whose parameter types are not exported, because
 * callers outside cannot use them. Also leaves out constructors of records, which only the library calls and
 * which may get new components.
 */
export function javaApi(javapOutput: string): ApiLine[] {
  return javapOutput.split(/^Compiled from .*\n/m).flatMap((text) => {
    const [head = "", ...members] = text.trimEnd().split("\n");
    if (!head.endsWith("{") || !/^(?:public|protected) /.test(head)) return [];
    const owner = /(?:class|interface) ([\w.$]+)/.exec(head)?.[1] ?? "";
    const [isRecord, isInterface] = [head.includes("extends java.lang.Record"), head.includes(" interface ")];
    return [
      { owner, signature: head.slice(0, -2) },
      ...members
        .map((member) => member.trim().replace(/;$/, ""))
        .filter((member) => member !== "}" && member !== "static {}" && !member.includes(".internal."))
        .filter((member) => !(isRecord && member.startsWith(`public ${owner}(`)))
        .map((signature) => ({
          owner,
          signature,
          isRequired:
            isInterface && !implementedByLibrary.has(owner) && signature.startsWith("public abstract "),
        })),
    ];
  });
}
