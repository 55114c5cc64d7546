/** What `work` comes to, or a fault when it takes longer than `ms`. The work itself goes on. */
export async function inTime<Value>(ms: number, work: Promise<Value>, otherwise: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
