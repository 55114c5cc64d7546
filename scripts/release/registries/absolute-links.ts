import { posix } from "node:path";
import { packageNames } from "../../../clients/package-names.ts";

/** A README for a registry's page: links to files lead to the sources of this version, because they are relative to nothing there. */
export function withAbsoluteLinks(readme: string, folder: string, version: string): string {
  return readme.replaceAll(/\]\((?!https?:|#|mailto:)([^)#]+)(#[^)]*)?\)/g, (_, to: string, anchor = "") => {
    const path = posix.normalize(posix.join(folder, to));
    return `](${packageNames.repository}/blob/v${version}/${path}${String(anchor)})`;
  });
}
