export type Environment = "sandbox" | "live";

export interface Gateway {
  readonly environment: Environment;
  /** The gateway's address, without a slash at the end. */
  readonly url: string;
}

/** The gateways that the portal may ask; the page's policy allows it no others. */
const gateways: readonly Gateway[] = JSON.parse(
  document.querySelector<HTMLMetaElement>("meta[name=tollgate-environments]")?.content ?? "[]",
);

export function gatewayOf(environment: Environment): Gateway | undefined {
  return gateways.find((gateway) => gateway.environment === environment);
}
