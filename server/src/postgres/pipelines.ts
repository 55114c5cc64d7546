import type { Pool, PoolClient } from "pg";
import type { ConnectionOrigins, Origin } from "./origin.ts";
import { ask } from "./pipelined-query.ts";
import type { Statement } from "./sql.ts";

export interface Pipelines {
  /**
   * Runs one statement under a setting, in its own transaction. Adds the server that ran the statement to `origins`.
   */
  ask<Row extends object>(setting: Statement, statement: Statement, origins?: Set<Origin>): Promise<Row[]>;
}

/** A shared connection with pipelining. It is out of the pool while a query on it is unanswered. */
interface Pipeline {
  readonly client: Promise<PoolClient>;
  unanswered: number;
  broken: boolean;
}

/**
 * Maximum number of pipelines. Above it queries are pipelined on busy connections: waking another PostgreSQL process
 * costs more than the query. There is more than one pipeline, because a slow query blocks those behind it (head-of-line
 * blocking).
 */
const pipelinesMax = 3;

export function openPipelines(pool: Pool, connections: ConnectionOrigins): Pipelines {
  const pipelines = new Set<Pipeline>();

  function pipelineForOneMore(): Pipeline {
    // Starvation guard: while callers wait for a connection of the pool, nothing more is pipelined, so that pipelines
    // are released.
    if (pipelines.size >= pipelinesMax && pool.waitingCount === 0) return leastBusy(pipelines);
    const pipeline = { client: pool.connect(), unanswered: 0, broken: false };
    pipelines.add(pipeline);
    return pipeline;
  }

  async function giveBack(pipeline: Pipeline): Promise<void> {
    pipelines.delete(pipeline);
    const client = await pipeline.client;
    client.release(pipeline.broken || connections.isStale(client));
  }

  return {
    async ask<Row extends object>(setting: Statement, statement: Statement, origins?: Set<Origin>) {
      const pipeline = pipelineForOneMore();
      pipeline.unanswered += 1;
      try {
        const client = await pipeline.client;
        const rows = await ask<Row>(client, setting, statement);
        origins?.add(connections.of(client));
        return rows;
      } catch (error) {
        // Queries that are already pipelined behind this one still get their results, but the pipeline accepts no new
        // query.
        pipeline.broken = true;
        pipelines.delete(pipeline);
        throw error;
      } finally {
        pipeline.unanswered -= 1;
        // After a failed connect there is nothing to release, and `ask` has thrown the cause.
        if (pipeline.unanswered === 0) giveBack(pipeline).catch(() => undefined);
      }
    },
  };
}

function leastBusy(pipelines: Iterable<Pipeline>): Pipeline {
  return [...pipelines].reduce((least, pipeline) =>
    pipeline.unanswered < least.unanswered ? pipeline : least,
  );
}
