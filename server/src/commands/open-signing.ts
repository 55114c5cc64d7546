import { listGatewayKeys } from "../keys/gateway-key.sql.ts";
import { findWrappedSecret } from "../keys/installation.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { openSigner, type Signer } from "../signing/gateway-keys.ts";
import type { KeyHolder } from "../signing/key-holder.ts";
import { openRemoteSigner } from "../signing/remote-signer.ts";
import { openRsaLanes } from "../signing/rsa-lanes.ts";
import { openInstallationSecret } from "../signing/secrets.ts";
import { readWrappingKeys } from "../signing/wrapping-keys.ts";
import type { Settings } from "./settings.ts";

/** What is signed with, and the secret from which all other keys of a process are derived. */
export interface Signing {
  readonly signer: Signer;
  readonly installationSecret: Buffer;
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
  if (path === "") return openOwnSigning(options);
  const { environment } = options.settings;
  const signer = await openRemoteSigner({ path, environment, onChange: options.onChange });
  return {
    signer,
    installationSecret: await signer.installationSecret(),
    close: () => signer.close(),
  };
}

interface OwnSigningOptions extends Pick<SigningOptions, "settings" | "tx"> {
  /** Where keys are that are not in the database; for `signer` alone. */
  readonly holder?: KeyHolder | undefined;
}

/** With the private keys in this process. */
export async function openOwnSigning({
  settings: { environment, keyFile, signing },
  tx,
  holder,
}: OwnSigningOptions): Promise<Signing> {
  const { oldKeyFile, rsaLanesFile } = signing;
  const wrappingKeys = await readWrappingKeys(keyFile, oldKeyFile);
  const lanes = rsaLanesFile === "" ? undefined : openRsaLanes(rsaLanesFile);
  const means = { lanes, holder };
  const signer = await openSigner(() => listGatewayKeys(tx), wrappingKeys, environment, means);
  const wrapped = await findWrappedSecret(tx);
  if (!wrapped) throw new Error("The installation has no secret yet: run `gateway-key add` first.");
  const installationSecret = openInstallationSecret(wrapped, wrappingKeys, environment);
  return { signer, installationSecret, close: () => undefined };
}
