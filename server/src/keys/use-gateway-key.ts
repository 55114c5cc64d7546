import { Type } from "typebox";
import { change } from "../contract/operation.ts";
import { withDescription, Time, toTime } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { findClient, updateGatewayKeyVersion } from "../merchants/client.sql.ts";
import { listGatewayPublicKeys } from "./gateway-key.sql.ts";
import { formatPublicKeyPem, type GatewayPublicKey } from "./gateway-key.ts";

interface PinnedKey {
  readonly version: number;
  readonly keys: readonly GatewayPublicKey[];
}

const Version = (description: string) => Type.Integer({ minimum: 1, maximum: 2_147_483_647, description });
const Pem = Type.String({ maxLength: 2048, description: "SubjectPublicKeyInfo in PEM." });

export const useGatewayKey = change({
  path: "tollgate/useGatewayKey",
  summary: "Pins you to another of our keys, which then signs responses and webhooks.",
  description:
    "First send it without `keyVersion`, store the key to which you want to change, and let your system choose by the " +
    "version in the signature header. Then change. The response to the changing request is still signed with the key " +
    "that you had. Others change within a second; until then both occur. You can go back the same way.",

  request: Type.Object({
    keyVersion: Type.Optional(Version("The version to change to; without it, nothing changes.")),
  }),
  response: Type.Object({
    keyVersion: Version("The version that signs from now on."),
    publicKey: Pem,
    versions: Type.Array(
      Type.Object(
        {
          keyVersion: Version("A version to which you can change."),
          publicKey: Pem,
          createdTime: withDescription(Time, "When this key was created."),
        },
        { title: "GatewayKeyVersion", description: "One of our keys." },
      ),
      { description: "All keys to which you can change." },
    ),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT"],
  inStore: true,

  example: {
    request: { keyVersion: 2 },
    response: {
      keyVersion: 2,
      publicKey: "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq…\n-----END PUBLIC KEY-----\n",
      versions: [
        {
          keyVersion: 1,
          publicKey: "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq…\n-----END PUBLIC KEY-----\n",
          createdTime: "2026-01-15T09:00:00+00:00",
        },
        {
          keyVersion: 2,
          publicKey: "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkq…\n-----END PUBLIC KEY-----\n",
          createdTime: "2026-11-15T09:00:00+00:00",
        },
      ],
    },
  },

  async change({ tx, clientId }, { keyVersion }) {
    const keys = await listGatewayPublicKeys(tx);
    const client = await findClient(tx, clientId);
    if (!client) return refuse("ACCESS_DENIED");
    const version = keyVersion ?? client.gatewayKeyVersion;
    if (!keys.some((key) => key.version === version))
      return refuse("PARAM_ILLEGAL", {
        field: "keyVersion",
        detail: `We have no key of version ${version}.`,
      });

    if (version !== client.gatewayKeyVersion) await updateGatewayKeyVersion(tx, clientId, version);
    const pinnedKey: PinnedKey = { version, keys };
    return pinnedKey;
  },

  answer({ version, keys }: PinnedKey) {
    const versions = keys.map((key) => ({
      keyVersion: key.version,
      publicKey: formatPublicKeyPem(key.publicKey),
      createdTime: toTime(key.createdAt),
    }));
    const publicKey = versions.find(({ keyVersion }) => keyVersion === version)?.publicKey ?? "";
    return { code: "SUCCESS", keyVersion: version, publicKey, versions };
  },
});
