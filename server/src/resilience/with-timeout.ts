/** A timeout: rejects if `work` takes longer than `ms`. It does not cancel the work. */
export async function withTimeout<Value>(
  ms: number,
  work: Promise<Value>,
  timeoutMessage: string,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(timeoutMessage)), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
