import type { Pool, PoolClient } from "pg";
import { ask } from "./question.ts";
import type { Statement } from "./sql.ts";

export interface Lanes {
  /** Runs one statement under a setting, in a transaction of its own. */
  ask<Row extends object>(setting: Statement, statement: Statement): Promise<Row[]>;
}

/** A shared connection with pipelining. It is out of the pool as long as a question on it is unanswered. */
interface Lane {
  readonly client: Promise<PoolClient>;
  unanswered: number;
  broken: boolean;
}

/**
 * Past so many, questions are pipelined on busy connections: to wake another PostgreSQL process costs more
 * than the answer. More than one, because a slow answer blocks all behind it (head-of-line blocking).
 */
const lanesMax = 3;

export function openLanes(pool: Pool): Lanes {
  const lanes = new Set<Lane>();

  function laneForOneMore(): Lane {
    // Starvation guard: while the pool has waiters, nothing more is pipelined, so that lanes are released.
    if (lanes.size >= lanesMax && pool.waitingCount === 0) return leastBusy(lanes);
    const lane = { client: pool.connect(), unanswered: 0, broken: false };
    lanes.add(lane);
    return lane;
  }

  async function giveBack(lane: Lane): Promise<void> {
    lanes.delete(lane);
    (await lane.client).release(lane.broken);
  }

  return {
    async ask<Row extends object>(setting: Statement, statement: Statement) {
      const lane = laneForOneMore();
      lane.unanswered += 1;
      try {
        return await ask<Row>(await lane.client, setting, statement);
      } catch (error) {
        // Questions already pipelined behind this one still get their answers, but no new one joins them.
        lane.broken = true;
        lanes.delete(lane);
        throw error;
      } finally {
        lane.unanswered -= 1;
        // After a failed connect there is nothing to release, and `ask` has thrown the reason.
        if (lane.unanswered === 0) giveBack(lane).catch(() => undefined);
      }
    },
  };
}

function leastBusy(lanes: Iterable<Lane>): Lane {
  return [...lanes].reduce((least, lane) => (lane.unanswered < least.unanswered ? lane : least));
}
