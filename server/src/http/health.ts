import type { FastifyInstance, FastifyReply } from "fastify";
import type { Clock } from "../core/clock.ts";
import type { FaultWatch } from "../core/fault-watch.ts";
import type { Signer } from "../signing/gateway-keys.ts";

/** The clock is synchronised with the database; a sample older than this means that the database is down. */
const clockAgeMaxMs = 5_000;

/** Which program runs, for whoever compares an incident with a deployment. */
export interface Release {
  readonly version: string;
  readonly commit: string;
  /** The newest migration of the database. */
  readonly migration: string;
}

/** What health checks are told. */
export interface Health {
  /** Whether the process runs; restart it when not. */
  live(): Told;
  /** Whether it does its work; send it no traffic while not, and look. */
  ready(): Told;
}

/** `isWell` decides the status, 200 or 503; all else is told. */
export interface Told {
  readonly isWell: boolean;
}

export interface HealthOptions {
  readonly environment: string;
  readonly release: () => Release;
  readonly clock: Clock;
  readonly faults: FaultWatch;
  readonly signer: Pick<Signer, "isWell">;
  /** Whether the process is being stopped. */
  readonly isDraining: () => boolean;
  /** Further reasons not to be ready, by name, and further facts to tell. */
  readonly more: () => { readonly problems: Readonly<Record<string, boolean>>; readonly facts?: object };
  /** Loops that have stood still for so long that only a restart helps. */
  readonly stalled?: () => readonly string[];
}

export function healthOf(options: HealthOptions): Health {
  const { environment, release, clock, faults, signer, isDraining, more, stalled = () => [] } = options;
  return {
    live() {
      const standing = stalled();
      const alive = standing.length === 0;
      return { isWell: alive, alive, ...(!alive && { stalled: standing }), ...release() };
    },
    ready() {
      const clockAgeMs = Math.round(clock.sampleAgeMs());
      const databaseAnswers = clockAgeMs <= clockAgeMaxMs;
      const signerAnswers = signer.isWell();
      const failing = faults.failing();
      const draining = isDraining();
      const { problems, facts } = more();
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
 * `/livez` and `/readyz` on the merchants' port, for load balancers. They say yes or no: which version runs, and what is wrong
 * with it, is for the operator. The sandbox tells why it is not ready, to whoever tries it out.
 */
export function serveHealth(app: FastifyInstance, health: Health, environment: string): void {
  const answer = (reply: FastifyReply, isWell: boolean, told: object): object => {
    void reply.code(isWell ? 200 : 503);
    return told;
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
