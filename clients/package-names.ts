/**
 * What the libraries are called where they are published: the one place in which an owner chooses. `npm run rename -- npm @shop/gateway`
 * writes another name here and wherever it stands written out. These are constants and nothing else, because the portal reads them in the browser.
 *
 * A registry gives a name to whoever comes first. So as long as `isPublished` is false, no page may show a line that asks a
 * registry for it, and nothing is published while a name ends in `.example`, which belongs to nobody.
 */
export const packageNames = {
  isPublished: false as boolean,
  /** The command line, `tollgate` of npm; until then `npx` is told not to fetch anything under that name. */
  isCommandPublished: false as boolean,
  /** Where the sources are; registries show it, and provenance is checked against it. */
  repository: "https://tollgate.example/tollgate",
  npm: "@tollgate/client",
  pypi: "tollgate-client",
  mavenGroup: "io.tollgate",
  mavenArtifact: "tollgate-java",
  composer: "tollgate/client",
  go: "tollgate.example/tollgate",
} as const;
