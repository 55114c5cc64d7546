import { Type } from "typebox";
import { change } from "../contract/operation.ts";
import { Text } from "../contract/schemas.ts";
import { sha256 } from "../core/digest.ts";
import { isRefusal, refuse } from "../core/result.ts";
import { insertOpenedClient } from "../merchants/opened-client.sql.ts";
import {
  decideOpenClient,
  isValidNewClientId,
  type OpenClientRequest,
  type OpenedClient,
} from "../merchants/opened-client.ts";
import { readKeyWithProof } from "../signing/key-proof.ts";
import { formatPublicKeyPem } from "./gateway-key.ts";
import { proofInstructions, KeyWithProof } from "./key-with-proof.schema.ts";

interface OpenResult {
  readonly isNew: boolean;
  readonly requested: OpenClientRequest;
  readonly openedClient: OpenedClient;
}

export const openClient = change({
  path: "tollgate/openClient",
  summary:
    "Opens the client whose id accounts has assigned to the person's organisation, with its first key.",
  description:
    "The client may send requests at once. A repeat gets the same response; later keys are added with `addKey`. " +
    proofInstructions,

  request: Type.Object({ name: Text(128, "The name that buyers see."), ...KeyWithProof }),
  response: Type.Object({
    clientId: Type.String({ maxLength: 64, description: "The client id for requests." }),
    name: Text(128, "The name that buyers see."),
    keyVersion: Type.Integer({ minimum: 1, description: "The version to sign with." }),
    gatewayKeyVersion: Type.Integer({
      minimum: 1,
      description: "The version of our key that signs responses.",
    }),
    gatewayPublicKey: Type.String({
      maxLength: 2048,
      description: "Our key, to verify responses and webhooks: SubjectPublicKeyInfo in PEM.",
    }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT"],
  inStore: true,

  example: {
    request: {
      name: "Coffee Lab",
      publicKey: "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA",
      proof: "b3ZlciB0aGUgdGV4dCB0aGF0IG5hbWVzIHRoZSBrZXk=",
    },
    response: {
      clientId: "SANDBOX_0C6A1B7E22D94F5A83B1D0E7",
      name: "Coffee Lab",
      keyVersion: 1,
      gatewayKeyVersion: 1,
      gatewayPublicKey: "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq…\n-----END PUBLIC KEY-----\n",
    },
  },

  async change(call, { name, publicKey, proof }) {
    const { tx, clientId, environment, organisation } = call;
    if (organisation === undefined) return refuse("ACCESS_DENIED");
    if (!isValidNewClientId(environment, clientId))
      return refuse("PARAM_ILLEGAL", {
        field: "client-id",
        detail: `This is no client id of ${environment}.`,
      });
    const verifiedKey = readKeyWithProof(call, { publicKey, proof });
    if (isRefusal(verifiedKey)) return verifiedKey;

    const requested: OpenClientRequest = { clientId, name, firstKey: verifiedKey.der, organisation };
    const { isNew, openedClient } = await insertOpenedClient(tx, requested);
    const decision = decideOpenClient(openedClient, requested);
    if (decision === "of another organisation") return refuse("ACCESS_DENIED", { detail: notYourClient });
    if (decision === "otherwise") return refuse("REPEAT_REQ_INCONSISTENT", { detail: alreadyOpen });
    const openResult: OpenResult = { isNew, requested, openedClient };
    return openResult;
  },

  auditedChange({
    isNew,
    requested: { name, firstKey, organisation },
    openedClient: { gatewayKeyVersion },
  }: OpenResult) {
    if (!isNew) return undefined;
    const keySha256 = sha256(firstKey).toString("hex");
    return { name, organisation, keyVersion: 1, keySha256, gatewayKeyVersion };
  },

  answer({
    requested: { clientId, name },
    openedClient: { gatewayKeyVersion, gatewayPublicKey },
  }: OpenResult) {
    const pem = formatPublicKeyPem(gatewayPublicKey);
    return { code: "SUCCESS", clientId, name, keyVersion: 1, gatewayKeyVersion, gatewayPublicKey: pem };
  },
});

const notYourClient = "This client was not opened by your organisation.";
const alreadyOpen = "The client is open already, with another name or first key: add the key with addKey.";
