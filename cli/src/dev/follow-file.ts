import { open } from "node:fs/promises";

const pollIntervalMs = 150;

/**
 * Polls a file for new lines, from its current end; the file may be created later. Returns the function that stops it.
 */
export function followFile(file: string, onLine: (line: string) => void): () => void {
  let position: number | undefined;
  let rest = "";
  let isPolling = false;
  const poll = async (): Promise<void> => {
    const handle = await open(file, "r").catch(() => undefined);
    if (!handle) {
      position = 0;
      return;
    }
    try {
      const { size } = await handle.stat();
      position ??= size;
      if (size <= position) return;
      const { buffer } = await handle.read(Buffer.alloc(size - position), 0, size - position, position);
      position = size;
      const lines = (rest + buffer.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(onLine);
    } finally {
      await handle.close();
    }
  };
  const timer = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    void poll()
      .catch(() => undefined)
      .finally(() => {
        isPolling = false;
      });
  }, pollIntervalMs);
  return () => clearInterval(timer);
}
