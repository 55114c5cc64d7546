/** How many bytes of each merchant's bodies were written down today, in this process. */
export interface LogBudget {
  /** Whether so many more may be; those are then counted. A day ends at midnight UTC. */
  spend(clientId: string, at: Date, bytes: number): boolean;
}

const dayMs = 86_400_000;
/** Whoever comes after so many others shares one budget with those who come after it: memory has an end. */
const clientsMax = 50_000;

export function newLogBudget(bytesPerDay: number): LogBudget {
  const spent = new Map<string, number>();
  let today = 0;

  return {
    spend(clientId, at, bytes) {
      const day = Math.floor(at.getTime() / dayMs);
      if (day > today) {
        today = day;
        spent.clear();
      }
      const key = spent.has(clientId) || spent.size < clientsMax ? clientId : "";
      const sum = (spent.get(key) ?? 0) + bytes;
      if (sum > bytesPerDay) return false;
      spent.set(key, sum);
      return true;
    },
  };
}
