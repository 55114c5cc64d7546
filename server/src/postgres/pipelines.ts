import type { Pool, PoolClient } from "pg";
import type { ConnectionOrigins, ServerOrigin } from "./connection-origin.ts";
import { runPipelinedQuery } from "./pipelined-query.ts";
import type { Statement } from "./sql.ts";

export interface Pipelines {
  /**
   * Runs one statement under a setting, in its own transaction. Adds the server that ran the statement to `origins`.
   */
  query<Row extends object>(
    setting: Statement,
    statement: Statement,
    origins?: Set<ServerOrigin>,
  ): Promise<Row[]>;
}

/** A shared connection with pipelining. It is out of the pool while a query on it is unanswered. */
interface Pipeline {
  readonly client: Promise<PoolClient>;
  pendingCount: number;
  isBroken: boolean;
}

/**
 * Maximum number of pipelines. Above it queries are pipelined on busy connections: waking another PostgreSQL process
 * costs more than the query. There is more than one pipeline, because a slow query blocks those behind it (head-of-line
 * blocking).
 */
const pipelinesMax = 3;

export function openPipelines(pool: Pool, connections: ConnectionOrigins): Pipelines {
  const pipelines = new Set<Pipeline>();

  function selectPipeline(): Pipeline {
    // Starvation guard: while callers wait for a connection of the pool, nothing more is pipelined, so that pipelines
    // are released.
    if (pipelines.size >= pipelinesMax && pool.waitingCount === 0) return leastBusy(pipelines);
    const pipeline = { client: pool.connect(), pendingCount: 0, isBroken: false };
    pipelines.add(pipeline);
    return pipeline;
  }

  async function releaseConnection(pipeline: Pipeline): Promise<void> {
    pipelines.delete(pipeline);
    const client = await pipeline.client;
    client.release(pipeline.isBroken || connections.isStale(client));
  }

  return {
    async query<Row extends object>(setting: Statement, statement: Statement, origins?: Set<ServerOrigin>) {
      const pipeline = selectPipeline();
      pipeline.pendingCount += 1;
      try {
        const client = await pipeline.client;
        const rows = await runPipelinedQuery<Row>(client, setting, statement);
        origins?.add(connections.originOf(client));
        return rows;
      } catch (error) {
        // Queries that are already pipelined behind this one still get their results, but the pipeline accepts no new
        // query.
        pipeline.isBroken = true;
        pipelines.delete(pipeline);
        throw error;
      } finally {
        pipeline.pendingCount -= 1;
        // After a failed connect there is nothing to release, and `query` has thrown the cause.
        if (pipeline.pendingCount === 0) releaseConnection(pipeline).catch(() => undefined);
      }
    },
  };
}

function leastBusy(pipelines: Iterable<Pipeline>): Pipeline {
  return [...pipelines].reduce((least, pipeline) =>
    pipeline.pendingCount < least.pendingCount ? pipeline : least,
  );
}
