export type Environment = "sandbox" | "live";

export interface Gateway {
  readonly environment: Environment;
  /** The gateway's URL, without a trailing slash. */
  readonly url: string;
}

/** The gateways to which the portal may connect. The page's content security policy blocks all other hosts. */
const gateways: readonly Gateway[] = JSON.parse(
  document.querySelector<HTMLMetaElement>("meta[name=tollgate-environments]")?.content ?? "[]",
);

export function findGateway(environment: Environment): Gateway | undefined {
  return gateways.find((gateway) => gateway.environment === environment);
}
