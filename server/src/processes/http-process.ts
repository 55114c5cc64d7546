import type { FastifyInstance } from "fastify";
import type { Meter } from "../telemetry/meter.ts";
import { certificateExpiry } from "../http/merchant-api/server.ts";
import type { Settings } from "../settings/settings.ts";

/** A process that answers HTTP: `serve` or `serve-staff`. */
export interface HttpProcess {
  readonly url: string;
  /**
   * Reloads the TLS certificate and its key; without TLS it does nothing. If the files are faulty, the old ones stay in
   * use.
   */
  reload(): Promise<void>;
  readonly metricsUrl: string | undefined;
  /** Graceful shutdown: answers pending requests, accepts no new ones, and returns. */
  stop(): Promise<void>;
}

/** `reportCertificateExpiry` writes the certificate's expiry to the metrics. */
export async function reportCertificateExpiry(meter: Meter, settings: Settings): Promise<void> {
  const end = await certificateExpiry(settings);
  if (end) meter.set("certificateEnds", [], end.getTime() / 1000);
}

/** Drain timeout in milliseconds: after it, idle connections that browsers keep open are closed. */
const drainTimeoutMs = 5_000;

/**
 * `drainHttp` answers pending requests, accepts no new ones, and closes the remaining connections after the drain
 * timeout.
 */
export async function drainHttp(
  app: FastifyInstance,
  closeListeners: () => Promise<void> = async () => undefined,
): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), drainTimeoutMs).unref();
  await Promise.all([app.close(), closeListeners()]);
  clearTimeout(timer);
}
