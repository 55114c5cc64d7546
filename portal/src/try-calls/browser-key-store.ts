/** A key that this browser stores for a client. It can sign, and its private key cannot be read. */
export interface StoredKey {
  readonly privateKey: CryptoKey;
  readonly keyVersion: number;
}

const store = "keys";

export async function storeKey(clientId: string, key: StoredKey): Promise<void> {
  await inStore("readwrite", (keys) => keys.put(key, clientId));
}

export async function loadKey(clientId: string): Promise<StoredKey | undefined> {
  return inStore<StoredKey | undefined>("readonly", (keys) => keys.get(clientId));
}

export async function deleteKey(clientId: string): Promise<void> {
  await inStore("readwrite", (keys) => keys.delete(clientId));
}

/** IndexedDB is the only browser storage that accepts a key without its bytes. */
async function inStore<Value>(
  mode: IDBTransactionMode,
  work: (keys: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const opening = indexedDB.open("tollgate", 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(store));
  const database = await awaitRequest(opening);
  try {
    return await awaitRequest(work(database.transaction(store, mode).objectStore(store)));
  } finally {
    database.close();
  }
}

function awaitRequest<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB failed.")));
  });
}
