/** A key that this browser stores for a client. It can sign, and its private key cannot be read. */
export interface KeptKey {
  readonly privateKey: CryptoKey;
  readonly keyVersion: number;
}

const store = "keys";

export async function keepKey(clientId: string, key: KeptKey): Promise<void> {
  await inStore("readwrite", (keys) => keys.put(key, clientId));
}

export async function keptKey(clientId: string): Promise<KeptKey | undefined> {
  return inStore<KeptKey | undefined>("readonly", (keys) => keys.get(clientId));
}

export async function forgetKey(clientId: string): Promise<void> {
  await inStore("readwrite", (keys) => keys.delete(clientId));
}

/** IndexedDB is the only browser storage that accepts a key without its bytes. */
async function inStore<Value>(
  mode: IDBTransactionMode,
  work: (keys: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const opening = indexedDB.open("tollgate", 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(store));
  const database = await done(opening);
  try {
    return await done(work(database.transaction(store, mode).objectStore(store)));
  } finally {
    database.close();
  }
}

function done<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB failed.")));
  });
}
