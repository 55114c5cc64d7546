import type { FastifyInstance, FastifyReply } from "fastify";
import type { Clock } from "../../core/clock.ts";
import type { FaultWatch } from "../../resilience/fault-watch.ts";
import type { Signer } from "../../signing/gateway-keys.ts";

/**
 * Maximum age of the last clock sample in milliseconds. The process synchronises its clock with the database; if the
 * last sample is older, the database is down.
 */
const clockAgeMaxMs = 5_000;

/** The running release, so that operators can compare an incident with a deployment. */
export interface Release {
  readonly version: string;
  readonly commit: string;
  /** The newest migration of the database. */
  readonly migration: string;
}

/** Inputs of the health checks. */
export interface Health {
  /** Liveness: if it fails, restart the process. */
  live(): HealthReport;
  /** Readiness: while it fails, send no traffic to the process, and investigate. */
  ready(): HealthReport;
}

/** `isWell` decides the HTTP status, 200 or 503; the other fields are the body of the response. */
export interface HealthReport {
  readonly isWell: boolean;
}

export interface HealthOptions {
  readonly environment: string;
  readonly release: () => Release;
  readonly clock: Clock;
  readonly faults: FaultWatch;
  readonly signer: Pick<Signer, "isAvailable">;
  /** Whether the process is shutting down. */
  readonly isDraining: () => boolean;
  /** Further reasons to be unready, by name, and further facts to report. */
  readonly additionalChecks: () => {
    readonly problems: Readonly<Record<string, boolean>>;
    readonly facts?: object;
  };
  /** Loops that have been stalled so long that only a restart helps. */
  readonly stalled?: () => readonly string[];
}

export function newHealth(options: HealthOptions): Health {
  const {
    environment,
    release,
    clock,
    faults,
    signer,
    isDraining,
    additionalChecks,
    stalled = () => [],
  } = options;
  return {
    live() {
      const stalledLoops = stalled();
      const alive = stalledLoops.length === 0;
      return { isWell: alive, alive, ...(!alive && { stalled: stalledLoops }), ...release() };
    },
    ready() {
      const clockAgeMs = Math.round(clock.sampleAgeMs());
      const databaseAnswers = clockAgeMs <= clockAgeMaxMs;
      const signerAnswers = signer.isAvailable();
      const failing = faults.failingKinds();
      const draining = isDraining();
      const { problems, facts } = additionalChecks();
      const ready =
        databaseAnswers &&
        signerAnswers &&
        failing.length === 0 &&
        !draining &&
        !Object.values(problems).includes(true);
      return {
        isWell: ready,
        ready,
        environment,
        databaseAnswers,
        clockAgeMs,
        signerAnswers,
        ...problems,
        failing,
        draining,
        ...facts,
        ...release(),
      };
    },
  };
}

/**
 * `/livez` and `/readyz` on the merchants' port, for load balancers. In live these pages report only yes or no, because
 * version and problems are for the operator. The sandbox also reports why it is unready.
 */
export function serveHealth(app: FastifyInstance, health: Health, environment: string): void {
  const answer = (reply: FastifyReply, isWell: boolean, body: object): object => {
    void reply.code(isWell ? 200 : 503);
    return body;
  };
  app.get("/livez", (_request, reply) => {
    const { isWell } = health.live();
    return answer(reply, isWell, { alive: isWell });
  });
  app.get("/readyz", (_request, reply) => {
    const { isWell, ...all } = health.ready();
    return answer(reply, isWell, environment === "live" ? { ready: isWell } : all);
  });
}
