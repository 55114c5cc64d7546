import type { FastifyInstance } from "fastify";
import type { Meter } from "../core/meter.ts";
import { certificateEnd } from "../http/server.ts";
import type { Settings } from "./settings.ts";

/** A process that answers HTTP: `serve` or `serve-staff`. */
export interface Serving {
  readonly url: string;
  /** Reads the certificate and its key anew; without TLS there is nothing to do. Faulty files leave the old ones. */
  reload(): Promise<void>;
  readonly metricsUrl: string | undefined;
  /** Graceful shutdown: answers what has arrived, accepts nothing new, and returns. */
  stop(): Promise<void>;
}

/** `showCertificate` writes the certificate's end to the metrics. */
export async function showCertificate(meter: Meter, settings: Settings): Promise<void> {
  const end = await certificateEnd(settings);
  if (end) meter.set("certificateEnds", [], end.getTime() / 1000);
}

/** Drain timeout: an idle connection that a browser keeps open is cut after it. */
const drainMs = 5_000;

/** `drainHttp` answers what has arrived, accepts nothing new, and cuts what is left after the drain timeout. */
export async function drainHttp(
  app: FastifyInstance,
  closeListeners: () => Promise<void> = async () => undefined,
): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), drainMs).unref();
  await Promise.all([app.close(), closeListeners()]);
  clearTimeout(cut);
}
