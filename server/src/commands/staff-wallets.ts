import { Type } from "typebox";
import { testConnector } from "./connector-test.ts";
import { findConnectors, switchConnector, useConnectorKey, type ShownConnector } from "./connector.ts";
import { findPinnedKeys } from "./gateway-key.ts";
import { staffAct, staffLook } from "./staff-route.ts";
import { ConnectorName, Count, Maybe, Moment } from "./staff-schemas.ts";

const Connector = Type.Object({
  name: ConnectorName,
  url: Type.String(),
  paymentMethodTypes: Type.Array(Type.String()),
  simulator: Type.Boolean(),
  isSilent: Type.Boolean({
    description: "Whether a worker found within the last minute that it does not answer.",
  }),
  disabledAt: Maybe(Moment),
  jobCount: Count,
  gatewayKeyVersion: Count,
  keySha256: Type.String({ description: "SHA-256 of the wallet's own public key." }),
  refunds: Type.String(),
  captures: Type.String(),
  isIdempotent: Type.Boolean(),
  quietSeconds: Count,
});

function shown({ terms, ...connector }: ShownConnector): object {
  const { refunds, captures, quietSeconds } = terms;
  return { ...connector, refunds, captures, quietSeconds, isIdempotent: terms.idempotentByReference };
}

export const showConnectors = staffLook({
  name: "connectors",
  summary: "All wallets: which do not answer, which are out of service, and how much waits for each.",
  right: "wallets.read",
  request: Type.Object({}),
  response: Type.Object({ connectors: Type.Array(Connector) }),
  about: () => ({ subject: "all wallets" }),
  find: async (desk) => ({ connectors: (await findConnectors(desk)).map(shown) }),
});

const OneConnector = Type.Object({ name: ConnectorName });

export const testWallet = staffAct({
  name: "testConnector",
  performs: "connector test",
  summary: "Asks a wallet about an order that was never sent, and says how it answers. It moves no money.",
  right: "wallets.change",
  request: OneConnector,
  response: Type.Object({ isWell: Type.Boolean(), said: Type.String(), tookMs: Count }),
  act: (desk, { name }) => testConnector(desk, name, desk.signer),
});

export const disableConnector = staffAct({
  name: "disableConnector",
  performs: "connector disable",
  summary: "Begins nothing new with a wallet, until it is enabled again. What was begun goes on.",
  right: "wallets.change",
  request: OneConnector,
  response: Connector,
  act: async (desk, { name }) => shown(await switchConnector(desk, name, "disabled")),
});

export const enableConnector = staffAct({
  name: "enableConnector",
  performs: "connector enable",
  summary: "Takes payments with a wallet again.",
  right: "wallets.change",
  request: OneConnector,
  response: Connector,
  act: async (desk, { name }) => shown(await switchConnector(desk, name, "enabled")),
});

export const moveConnectorKey = staffAct({
  name: "moveConnectorKey",
  performs: "connector gateway-key",
  summary: "Signs what goes to a wallet with another gateway key, whose public half it has to know already.",
  right: "wallets.change",
  request: Type.Object({ name: ConnectorName, version: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) }),
  response: Type.Object({ name: ConnectorName, gatewayKeyVersion: Count }),
  async act({ url, environment, by }, { name, version }) {
    await useConnectorKey(url, environment, { name, version }, by);
    return { name, gatewayKeyVersion: version };
  },
});

export const showGatewayKeys = staffLook({
  name: "gatewayKeys",
  summary: "The gateway's own keys, and how many merchants and which wallets still rely on each.",
  right: "wallets.read",
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
