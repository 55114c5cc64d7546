import { readFile } from "node:fs/promises";
import type { Algorithm } from "./algorithm.ts";
import type { ExternalKeyStore } from "./external-key-store.ts";

export interface VaultOptions {
  /** Such as https://vault.internal:8200. */
  readonly url: string;
  /** The file of the token. It is read for each signature, because an agent renews the token. */
  readonly tokenFile: string;
  /** The mount path of the transit engine. */
  readonly mount: string;
}

const timeoutMs = 2_500;
const signatureParameters: Readonly<Record<Algorithm, object>> = {
  RSA256: { hash_algorithm: "sha2-256", signature_algorithm: "pkcs1v15" },
  Ed25519: {},
};

interface VaultAnswer {
  readonly data?: { readonly signature?: string };
  readonly errors?: readonly string[];
}

/** Signs with the transit engine of Vault or OpenBao over HTTP: one request for each signature. */
export function openVaultTransit({ url, tokenFile, mount }: VaultOptions): ExternalKeyStore {
  return {
    async sign(name, text, algorithm) {
      const token = (await readFile(tokenFile, "utf8")).trim();
      const response = await fetch(new URL(`/v1/${mount}/sign/${encodeURIComponent(name)}`, url), {
        method: "POST",
        redirect: "error",
        headers: { "x-vault-token": token, "content-type": "application/json" },
        body: JSON.stringify({
          input: Buffer.from(text).toString("base64"),
          ...signatureParameters[algorithm],
        }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const answer = (await response.json().catch(() => ({}))) as VaultAnswer;
      // A signature has the form vault:v1:base64. The version in it is Vault's own; the version of the gateway key is
      // part of the key's name.
      const [, , signature] = answer.data?.signature?.split(":") ?? [];
      if (!response.ok || signature === undefined)
        throw new Error(
          `Vault did not sign with ${name}: HTTP ${response.status} ${answer.errors?.join(" ") ?? ""}`,
        );
      return Buffer.from(signature, "base64");
    },
  };
}
