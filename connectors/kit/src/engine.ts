import type { Database } from "../../../server/src/postgres/database.ts";
import type { CallProvider, Connector } from "./connector.ts";
import type { Log } from "./log.ts";
import type { GatewayKeys } from "./protocol/gateway-keys.ts";
import type { SecretsOf } from "./provider/account-secrets.ts";
import type { ConnectorMeter } from "./meter.ts";

/** The dependencies of all operations and jobs, created once in `serve-connector.ts`. */
export interface Engine {
  readonly connector: Connector;
  readonly database: Database;
  readonly keys: GatewayKeys;
  readonly secretsOf: SecretsOf;
  readonly callProvider: CallProvider;
  readonly log: Log;
  readonly meter: ConnectorMeter;
  readonly now: () => Date;
}
