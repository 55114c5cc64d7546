import { listGatewayKeys } from "../keys/gateway-key.sql.ts";
import { findWrappedSecret } from "../keys/installation.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { openSigner, type LocalSigner, type Signer } from "../signing/gateway-keys.ts";
import type { ExternalKeyStore } from "../signing/external-key-store.ts";
import { openRemoteSigner } from "../signing/remote-signer.ts";
import { deriveKeys, openInstallationSecret, splitDerivedKeys, type Secrets } from "../signing/secrets.ts";
import { readWrappingKeys } from "../signing/wrapping-keys.ts";
import type { Settings } from "../settings/settings.ts";

/** The signer of a process, and the keys that are derived from the installation secret. */
export interface Signing {
  readonly signer: Signer;
  /**
   * The same signer, if this process has the private keys, so that it can sign audit heads. If there is a signer
   * process, that process signs them.
   */
  readonly localSigner: LocalSigner | undefined;
  readonly secrets: Secrets;
  close(): void;
}

export interface SigningOptions {
  readonly settings: Pick<Settings, "environment" | "keyFile" | "signing">;
  /** Reads in the system scope. */
  readonly tx: Tx;
  /** Called when the signer process stops responding, or responds again. */
  readonly onChange: (isWell: boolean, cause?: unknown) => void;
}

/**
 * Opens the signer of a process. If a signer process is configured, this process has no private key and no key file.
 */
export async function openSigning(options: SigningOptions): Promise<Signing> {
  const { socket: path } = options.settings.signing;
  if (path === "") {
    const { signer, derivedKeys } = await openLocalSigning(options);
    return { signer, localSigner: signer, secrets: splitDerivedKeys(derivedKeys), close: () => undefined };
  }
  const { environment } = options.settings;
  const signer = await openRemoteSigner({ path, environment, onChange: options.onChange });
  return {
    signer,
    localSigner: undefined,
    secrets: await signer.secrets(),
    close: () => signer.close(),
  };
}

interface LocalSigningOptions extends Pick<SigningOptions, "settings" | "tx"> {
  /** The holder of keys that are not in the database; for `signer` only. */
  readonly holder?: ExternalKeyStore | undefined;
}

/** Private keys in this process, and the keys that are derived from the installation secret. */
export interface LocalSigning {
  readonly signer: LocalSigner;
  readonly derivedKeys: Buffer;
}

/** Loads the private keys into this process. */
export async function openLocalSigning({
  settings: { environment, keyFile, signing },
  tx,
  holder,
}: LocalSigningOptions): Promise<LocalSigning> {
  const wrappingKeys = await readWrappingKeys(keyFile, signing.oldKeyFile);
  const signer = await openSigner(() => listGatewayKeys(tx), wrappingKeys, environment, holder);
  const wrappedSecret = await findWrappedSecret(tx);
  if (!wrappedSecret) throw new Error("The installation has no secret yet: run `gateway-key add` first.");
  return {
    signer,
    derivedKeys: deriveKeys(openInstallationSecret(wrappedSecret, wrappingKeys, environment)),
  };
}
