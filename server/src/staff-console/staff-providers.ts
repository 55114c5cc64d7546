import { Type } from "typebox";
import { testConnector } from "../operators/providers/connector-test.ts";
import {
  findConnectors,
  setConnectorState,
  pinConnectorGatewayKey,
  type ConnectorDetails,
} from "../operators/providers/connector-settings.ts";
import { warningsOf } from "../operators/providers/connector-text.ts";
import { accountRules } from "../providers/connector.ts";
import { accountProblem } from "../providers/provider-account.ts";
import { FactsSchema } from "../providers/provider-facts.schema.ts";
import { removeProviderAccount, setProviderAccount } from "../operators/providers/provider-accounts.ts";
import { findPinnedKeys } from "../operators/providers/manage-gateway-keys.ts";
import { staffAct, staffView } from "./staff-route.ts";
import { ClientId, ConnectorName, Count, Optional, Moment } from "./staff-schemas.ts";

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
  idempotencyWindowSeconds: Optional(Count),
  holdSeconds: Count,
  accounts: Type.Enum(accountRules, { description: "Whether merchants have accounts at the provider." }),
  priority: Count,
  sharedMethods: Type.Array(
    Type.Object({ paymentMethodType: Type.String(), connectors: Type.Array(ConnectorName) }),
    { description: "Payment methods that other connectors list as well, in the order of choice." },
  ),
  facts: Optional({
    ...FactsSchema,
    description: "The facts that the provider states; absent if it was never asked.",
  }),
  factsAt: Optional(Moment),
  warnings: Type.Array(Type.String(), {
    description: "Settings that promise more than the provider states, and missing facts.",
  }),
});

function toConnectorResponse(details: ConnectorDetails): object {
  const { terms, ...connector } = details;
  const { refunds, captures, quietSeconds, idempotencyWindowSeconds, holdSeconds } = terms;
  const { accounts, priority, idempotentByReference: isIdempotent } = terms;
  const limits = { refunds, captures, quietSeconds, idempotencyWindowSeconds, holdSeconds };
  return { ...connector, ...limits, accounts, priority, isIdempotent, warnings: warningsOf(details) };
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
  summary:
    "Sends a provider an inquiry about an unknown order, and checks the reply and its facts. Moves no money.",
  permission: "providers.change",
  request: ConnectorRequest,
  response: Type.Object({
    isWell: Type.Boolean(),
    said: Type.String(),
    tookMs: Count,
    factsChanges: Type.Array(Type.String(), {
      description:
        "Differences between the stored facts and the provider's reply. `tollgate connector refresh` stores them.",
    }),
  }),
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

const AccountRequest = Type.Object({ clientId: ClientId, connector: ConnectorName });

export const setProviderAccountAct = staffAct({
  name: "setProviderAccount",
  auditedAct: "connector account set",
  summary: "Sets a merchant's account at a provider, for new orders. Orders that exist keep theirs.",
  permission: "merchants.change",
  request: Type.Object({
    ...AccountRequest.properties,
    account: Type.String({
      minLength: 1,
      maxLength: 128,
      description: "The provider's reference of the account, never a key.",
    }),
  }),
  response: Type.Object({ ...AccountRequest.properties, account: Type.String() }),
  findProblem({ account }) {
    const detail = accountProblem(account);
    return detail === undefined ? undefined : { field: "account", detail };
  },
  act: (context, request) => setProviderAccount(context, request),
});

export const removeProviderAccountAct = staffAct({
  name: "removeProviderAccount",
  auditedAct: "connector account remove",
  summary: "Removes a merchant's account at a provider, for new orders.",
  permission: "merchants.change",
  request: AccountRequest,
  response: AccountRequest,
  act: (context, request) => removeProviderAccount(context, request),
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
