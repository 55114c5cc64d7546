import type { Pool, PoolClient } from "pg";
import { ask } from "./question.ts";
import type { Statement } from "./sql.ts";

export interface Lanes {
  /** Asks one thing under a setting, in a transaction of its own. */
  ask<Row extends object>(setting: Statement, statement: Statement): Promise<Row[]>;
}

/** A connection that is out of the pool as long as a question on it is unanswered. */
interface Lane {
  readonly client: Promise<PoolClient>;
  unanswered: number;
  broken: boolean;
}

/**
 * Past so many, questions queue up on connections that are busy anyway: to wake another of PostgreSQL's
 * processes costs more than the answer. More than one, so that a slow answer does not hold up everybody.
 */
const lanesMax = 3;

export function openLanes(pool: Pool): Lanes {
  const lanes = new Set<Lane>();

  function laneForOneMore(): Lane {
    // Who waits for a connection of its own would wait for ever, if ours were never free.
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
        // Those behind still get their answers, but nobody joins them.
        lane.broken = true;
        lanes.delete(lane);
        throw error;
      } finally {
        lane.unanswered -= 1;
        // A connection that could not be had need not be given back, and the question has said so.
        if (lane.unanswered === 0) giveBack(lane).catch(() => undefined);
      }
    },
  };
}

function leastBusy(lanes: Iterable<Lane>): Lane {
  return [...lanes].reduce((least, lane) => (lane.unanswered < least.unanswered ? lane : least));
}
