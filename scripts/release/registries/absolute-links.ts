import { posix } from "node:path";
import { packageNames } from "../../../clients/package-names.ts";

/**
 * A README for a registry's page: relative links become links to the sources of this version, because they would be
 * broken there.
 */
export function withAbsoluteLinks(readme: string, folder: string, version: string): string {
  return readme.replaceAll(/\]\((?!https?:|#|mailto:)([^)#]+)(#[^)]*)?\)/g, (_, to: string, anchor = "") => {
    const path = posix.normalize(posix.join(folder, to));
    return `](${packageNames.repository}/blob/v${version}/${path}${String(anchor)})`;
  });
}
