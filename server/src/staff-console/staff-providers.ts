import { Type } from "typebox";
import { testConnector } from "../operators/providers/connector-test.ts";
import {
  findConnectors,
  setConnectorState,
  pinConnectorGatewayKey,
  type ConnectorDetails,
} from "../operators/providers/connector-settings.ts";
import { findPinnedKeys } from "../operators/providers/manage-gateway-keys.ts";
import { staffAct, staffView } from "./staff-route.ts";
import { ConnectorName, Count, Optional, Moment } from "./staff-schemas.ts";

const Connector = Type.Object({
  name: ConnectorName,
  url: Type.String(),
  paymentMethodTypes: Type.Array(Type.String()),
  simulator: Type.Boolean(),
  isSilent: Type.Boolean({
    description: "Whether a worker found within the last minute that the provider does not respond.",
  }),
  disabledAt: Optional(Moment),
  jobCount: Count,
  gatewayKeyVersion: Count,
  keySha256: Type.String({ description: "SHA-256 of the provider's public key." }),
  refunds: Type.String(),
  captures: Type.String(),
  isIdempotent: Type.Boolean(),
  quietSeconds: Count,
});

function toConnectorResponse({ terms, ...connector }: ConnectorDetails): object {
  const { refunds, captures, quietSeconds } = terms;
  return { ...connector, refunds, captures, quietSeconds, isIdempotent: terms.idempotentByReference };
}

export const showConnectors = staffView({
  name: "connectors",
  summary: "All connectors: silent ones, disabled ones, and the number of jobs waiting for each.",
  permission: "providers.read",
  request: Type.Object({}),
  response: Type.Object({ connectors: Type.Array(Connector) }),
  auditSubjectOf: () => ({ subject: "all providers" }),
  find: async (context) => ({ connectors: (await findConnectors(context)).map(toConnectorResponse) }),
});

const ConnectorRequest = Type.Object({ name: ConnectorName });

export const testConnectorAct = staffAct({
  name: "testConnector",
  auditedAct: "connector test",
  summary: "Sends a provider an inquiry about an unknown order and checks the reply. Moves no money.",
  permission: "providers.change",
  request: ConnectorRequest,
  response: Type.Object({ isWell: Type.Boolean(), said: Type.String(), tookMs: Count }),
  act: (context, { name }) => testConnector(context, name, context.signer),
});

export const disableConnector = staffAct({
  name: "disableConnector",
  auditedAct: "connector disable",
  summary: "Stops new payments with a connector until it is enabled again. Existing payments continue.",
  permission: "providers.change",
  request: ConnectorRequest,
  response: Connector,
  act: async (context, { name }) => toConnectorResponse(await setConnectorState(context, name, "disabled")),
});

export const enableConnector = staffAct({
  name: "enableConnector",
  auditedAct: "connector enable",
  summary: "Accepts payments with a connector again.",
  permission: "providers.change",
  request: ConnectorRequest,
  response: Connector,
  act: async (context, { name }) => toConnectorResponse(await setConnectorState(context, name, "enabled")),
});

export const moveConnectorKey = staffAct({
  name: "moveConnectorKey",
  auditedAct: "connector gateway-key",
  summary: "Pins a connector to a gateway key. The provider must have its public key already.",
  permission: "providers.change",
  request: Type.Object({ name: ConnectorName, version: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) }),
  response: Type.Object({ name: ConnectorName, gatewayKeyVersion: Count }),
  async act({ url, environment, by }, { name, version }) {
    await pinConnectorGatewayKey(url, environment, { name, version }, by);
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
  auditSubjectOf: () => ({ subject: "gateway keys" }),
  find: async (context) => ({ keys: await findPinnedKeys(context) }),
});
