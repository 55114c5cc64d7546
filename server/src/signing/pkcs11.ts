import { createRequire } from "node:module";
import type { Algorithm } from "./algorithm.ts";
import type { ExternalKeyStore } from "./external-key-store.ts";

export interface Pkcs11Options {
  /** The path of the native module that `npm run build:pkcs11` built. */
  readonly addOn: string;
  /** The path of the PKCS#11 module of the HSM's vendor. */
  readonly module: string;
  /** The label of the token. */
  readonly token: string;
  readonly pin: string;
}

/**
 * The functions of `server/native/pkcs11.c`. Handles are bigint: they have 64 bits, and a number would round one to
 * another key.
 */
interface NativeModule {
  open(module: string, token: string, pin: string): void;
  find(label: string, keyType: number): bigint;
  sign(key: bigint, mechanism: number, text: Uint8Array): Promise<Buffer>;
}

/** Constants of the PKCS#11 standard: CKK_RSA with CKM_SHA256_RSA_PKCS, and CKK_EC_EDWARDS with CKM_EDDSA. */
const keyConstants: Readonly<Record<Algorithm, { readonly keyType: number; readonly mechanism: number }>> = {
  RSA256: { keyType: 0x00, mechanism: 0x40 },
  Ed25519: { keyType: 0x40, mechanism: 0x1057 },
};

/** Signs with keys that stay in an HSM. A process opens only one token, and only once. */
export function openPkcs11({ addOn, module, token, pin }: Pkcs11Options): ExternalKeyStore {
  const native = createRequire(import.meta.url)(addOn) as NativeModule;
  native.open(module, token, pin);
  const keys = new Map<string, bigint>();
  return {
    async sign(name, text, algorithm) {
      const { keyType, mechanism } = keyConstants[algorithm];
      const key = keys.get(name) ?? native.find(name, keyType);
      keys.set(name, key);
      return native.sign(key, mechanism, text);
    },
  };
}
