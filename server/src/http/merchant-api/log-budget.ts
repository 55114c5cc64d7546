/** Daily quota of body bytes in the request log, by merchant and process. */
export interface LogBudget {
  /** Takes `bytes` from the quota; returns false if they do not fit. The quota's day ends at midnight UTC. */
  spend(clientId: string, at: Date, bytes: number): boolean;
}

const dayMs = 86_400_000;
/**
 * Maximum number of merchants with their own quota, which bounds the memory. Merchants beyond this number share one
 * quota.
 */
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
