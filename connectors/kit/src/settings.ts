import { newSettingReader } from "../../../server/src/settings/settings.ts";
import type { GatewayKeyFiles } from "./protocol/gateway-keys.ts";

/** All settings of a connector, read once from the environment variables `CONNECTOR_…`. */
export interface ConnectorSettings extends GatewayKeyFiles {
  /** A database login that can read and write the tables of the connector. */
  readonly databaseUrl: string;
  /** `<folder>/<account>/<name>`: one file per secret. The operator's own account is `default`. */
  readonly secretsFolder: string;
  readonly host: string;
  /** For the gateway. */
  readonly port: number;
  /** For the provider's webhooks, the only port that is reachable from outside. */
  readonly webhookPort: number;
  readonly metricsPort: number;
  readonly databaseConnectionsMax: number;
  /** Timeout of one message to the provider. It must be shorter than the gateway's own. */
  readonly providerTimeoutMs: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

export function readConnectorSettings(variables: Variables): ConnectorSettings {
  const { optional, required, wholeNumber } = newSettingReader(variables, "CONNECTOR");
  return {
    databaseUrl: required("DATABASE_URL"),
    secretsFolder: required("SECRETS_FOLDER"),
    partnerId: required("PARTNER_ID"),
    privateKeyFile: required("KEY_FILE"),
    keyVersion: wholeNumber("KEY_VERSION", 1),
    gatewayPublicKeyFile: required("GATEWAY_KEY_FILE"),
    host: optional("HOST", "127.0.0.1"),
    port: wholeNumber("PORT", 8100),
    webhookPort: wholeNumber("WEBHOOK_PORT", 8101),
    metricsPort: wholeNumber("METRICS_PORT", 8102),
    databaseConnectionsMax: wholeNumber("DATABASE_CONNECTIONS", 10),
    providerTimeoutMs: wholeNumber("PROVIDER_TIMEOUT_MS", 8_000),
  };
}
