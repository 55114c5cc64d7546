import type { FastifyInstance } from "fastify";
import type { Gateway } from "./gateway.ts";

/** The clock is synchronised with the database; a sample older than this means that the database is down. */
const clockAgeMaxMs = 5_000;

/**
 * `/livez`: the process runs; restart it when this fails. `/readyz`: it can serve; send it no
 * traffic while this fails. It fails first when the process is to leave: connection draining.
 */
export function serveHealth(app: FastifyInstance, gateway: Gateway, isDraining: () => boolean): void {
  app.get("/livez", () => ({ alive: true }));
  app.get("/readyz", (_request, reply) => {
    const clockAgeMs = Math.round(gateway.clock.sampleAgeMs());
    const databaseAnswers = clockAgeMs <= clockAgeMaxMs;
    const overloaded = gateway.guard.overloaded();
    const draining = isDraining();
    const ready = databaseAnswers && !overloaded && !draining;
    const droppedLogEntries = gateway.requestLog.droppedCount();
    void reply.code(ready ? 200 : 503);
    return {
      ready,
      environment: gateway.environment,
      databaseAnswers,
      clockAgeMs,
      overloaded,
      draining,
      droppedLogEntries,
    };
  });
}
