import { listGatewayKeys } from "../keys/gateway-key.sql.ts";
import { findWrappedSecret } from "../keys/installation.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { openSigner, type OwnSigner, type Signer } from "../signing/gateway-keys.ts";
import type { KeyHolder } from "../signing/key-holder.ts";
import { openRemoteSigner } from "../signing/remote-signer.ts";
import { openRsaLanes } from "../signing/rsa-lanes.ts";
import { deriveKeys, openInstallationSecret, secretsOf, type Secrets } from "../signing/secrets.ts";
import { readWrappingKeys } from "../signing/wrapping-keys.ts";
import type { Settings } from "./settings.ts";

/** What a process signs with, and the keys that are derived from the installation's secret. */
export interface Signing {
  readonly signer: Signer;
  /** The same signer, if this process has the private keys: it can sign audit heads. With a signer process, that process signs them. */
  readonly ownSigner: OwnSigner | undefined;
  readonly secrets: Secrets;
  close(): void;
}

export interface SigningOptions {
  readonly settings: Pick<Settings, "environment" | "keyFile" | "signing">;
  /** Reads as the system. */
  readonly tx: Tx;
  /** The signer in a process of its own has fallen silent, or answers again. */
  readonly onChange: (isWell: boolean, cause?: unknown) => void;
}

/** By a signer in a process of its own, if there is one: then no private key is here, and nothing that opens one. */
export async function openSigning(options: SigningOptions): Promise<Signing> {
  const { socket: path } = options.settings.signing;
  if (path === "") {
    const { signer, derivedKeys } = await openOwnSigning(options);
    return { signer, ownSigner: signer, secrets: secretsOf(derivedKeys), close: () => undefined };
  }
  const { environment } = options.settings;
  const signer = await openRemoteSigner({ path, environment, onChange: options.onChange });
  return {
    signer,
    ownSigner: undefined,
    secrets: await signer.secrets(),
    close: () => signer.close(),
  };
}

interface OwnSigningOptions extends Pick<SigningOptions, "settings" | "tx"> {
  /** Where keys are that are not in the database; for `signer` alone. */
  readonly holder?: KeyHolder | undefined;
}

/** Private keys in this process, and the keys that are derived from the installation's secret. */
export interface OwnSigning {
  readonly signer: OwnSigner;
  readonly derivedKeys: Buffer;
}

/** With the private keys in this process. */
export async function openOwnSigning({
  settings: { environment, keyFile, signing },
  tx,
  holder,
}: OwnSigningOptions): Promise<OwnSigning> {
  const { oldKeyFile, rsaLanesFile } = signing;
  const wrappingKeys = await readWrappingKeys(keyFile, oldKeyFile);
  const lanes = rsaLanesFile === "" ? undefined : openRsaLanes(rsaLanesFile);
  const means = { lanes, holder };
  const signer = await openSigner(() => listGatewayKeys(tx), wrappingKeys, environment, means);
  const wrapped = await findWrappedSecret(tx);
  if (!wrapped) throw new Error("The installation has no secret yet: run `gateway-key add` first.");
  return { signer, derivedKeys: deriveKeys(openInstallationSecret(wrapped, wrappingKeys, environment)) };
}
