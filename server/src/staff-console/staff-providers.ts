import { Type } from "typebox";
import { testConnector } from "../operators/providers/connector-test.ts";
import {
  findConnectors,
  switchConnector,
  useConnectorKey,
  type ShownConnector,
} from "../operators/providers/connector.ts";
import { findPinnedKeys } from "../operators/providers/gateway-key.ts";
import { staffAct, staffView } from "./staff-route.ts";
import { ConnectorName, Count, Maybe, Moment } from "./staff-schemas.ts";

const Connector = Type.Object({
  name: ConnectorName,
  url: Type.String(),
  paymentMethodTypes: Type.Array(Type.String()),
  simulator: Type.Boolean(),
  isSilent: Type.Boolean({
    description: "Whether a worker found within the last minute that the provider does not respond.",
  }),
  disabledAt: Maybe(Moment),
  jobCount: Count,
  gatewayKeyVersion: Count,
  keySha256: Type.String({ description: "SHA-256 of the provider's public key." }),
  refunds: Type.String(),
  captures: Type.String(),
  isIdempotent: Type.Boolean(),
  quietSeconds: Count,
});

function shown({ terms, ...connector }: ShownConnector): object {
  const { refunds, captures, quietSeconds } = terms;
  return { ...connector, refunds, captures, quietSeconds, isIdempotent: terms.idempotentByReference };
}

export const showConnectors = staffView({
  name: "connectors",
  summary: "All connectors: silent ones, disabled ones, and the number of jobs waiting for each.",
  permission: "providers.read",
  request: Type.Object({}),
  response: Type.Object({ connectors: Type.Array(Connector) }),
  about: () => ({ subject: "all providers" }),
  find: async (desk) => ({ connectors: (await findConnectors(desk)).map(shown) }),
});

const OneConnector = Type.Object({ name: ConnectorName });

export const testWallet = staffAct({
  name: "testConnector",
  performs: "connector test",
  summary: "Sends a provider an inquiry about an unknown order and checks the reply. Moves no money.",
  permission: "providers.change",
  request: OneConnector,
  response: Type.Object({ isWell: Type.Boolean(), said: Type.String(), tookMs: Count }),
  act: (desk, { name }) => testConnector(desk, name, desk.signer),
});

export const disableConnector = staffAct({
  name: "disableConnector",
  performs: "connector disable",
  summary: "Stops new payments with a connector until it is enabled again. Existing payments continue.",
  permission: "providers.change",
  request: OneConnector,
  response: Connector,
  act: async (desk, { name }) => shown(await switchConnector(desk, name, "disabled")),
});

export const enableConnector = staffAct({
  name: "enableConnector",
  performs: "connector enable",
  summary: "Accepts payments with a connector again.",
  permission: "providers.change",
  request: OneConnector,
  response: Connector,
  act: async (desk, { name }) => shown(await switchConnector(desk, name, "enabled")),
});

export const moveConnectorKey = staffAct({
  name: "moveConnectorKey",
  performs: "connector gateway-key",
  summary: "Pins a connector to a gateway key. The provider must have its public key already.",
  permission: "providers.change",
  request: Type.Object({ name: ConnectorName, version: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) }),
  response: Type.Object({ name: ConnectorName, gatewayKeyVersion: Count }),
  async act({ url, environment, by }, { name, version }) {
    await useConnectorKey(url, environment, { name, version }, by);
    return { name, gatewayKeyVersion: version };
  },
});

export const showGatewayKeys = staffView({
  name: "gatewayKeys",
  summary: "The gateway keys, with the merchants and connectors that are pinned to them.",
  permission: "providers.read",
  request: Type.Object({}),
  response: Type.Object({
    keys: Type.Array(
      Type.Object({
        version: Count,
        keySha256: Type.String(),
        createdAt: Moment,
        merchantCount: Count,
        connectors: Type.Array(Type.String()),
      }),
    ),
  }),
  about: () => ({ subject: "gateway keys" }),
  find: async (desk) => ({ keys: await findPinnedKeys(desk) }),
});
