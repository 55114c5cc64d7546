/**
 * The names under which the libraries are published. An owner changes them only here: `npm run rename -- npm
 * @shop/gateway` writes another name here and in every place that repeats it. This file has only constants,
 * because the portal reads it in the browser.
 *
 * An attacker could register a name before its owner. So as long as `isPublished` is false, no page may show
 * a line that installs this name from a registry. Nothing is published while a name ends in `.example`, which
 * is reserved.
 */
export const packageNames = {
  isPublished: false as boolean,
  /**
   * Whether the command line is published as `tollgate` on npm. Until then, `npx` must not download a package
   * with this name.
   */
  isCommandPublished: false as boolean,
  /** The address of the sources. Registries show it, and provenance is verified against it. */
  repository: "https://tollgate.example/tollgate",
  npm: "@tollgate/client",
  pypi: "tollgate-client",
  mavenGroup: "io.tollgate",
  mavenArtifact: "tollgate-java",
  composer: "tollgate/client",
  go: "tollgate.example/tollgate",
} as const;
