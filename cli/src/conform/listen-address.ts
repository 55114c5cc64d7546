import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { parseWholeNumber } from "../../../server/src/operators/framework/parse-whole-number.ts";
import { parseHttpUrl } from "./parse-http-url.ts";

/** The local address of this command's server, and the address at which the other side reaches it. */
export interface ListenAddress {
  readonly port: number;
  /** Undefined: only on this machine. */
  readonly publicUrl: string | undefined;
}

/** Reads `--listen-url` and `--listen-port`. Behind a tunnel the local port differs from the port of the address. */
export function readListenAddress(args: CommandArguments): ListenAddress {
  const port = parseWholeNumber(args, "listen-port", [0, 65_535]);
  const text = args.value("listen-url");
  if (text === undefined) return { port: port ?? 0, publicUrl: undefined };
  const { origin, port: portInUrl, pathname, search } = parseHttpUrl(text);
  if (pathname !== "/" || search !== "")
    throw new UsageError(`--listen-url must be an address without a path: ${origin}.`);
  if (port === undefined && portInUrl === "")
    throw new UsageError(
      `Set --listen-port N to the port of this machine that receives requests for ${origin}.`,
    );
  return { port: port ?? Number(portInUrl), publicUrl: origin };
}

/** Listens on all interfaces only if `--listen-url` is set, and returns the address that the other side calls. */
export async function startListening(server: Server, { port, publicUrl }: ListenAddress): Promise<string> {
  const host = publicUrl === undefined ? { host: "127.0.0.1" } : {};
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen({ port, ...host }, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new UsageError(`Port ${port} is in use: choose another with --listen-port.`);
  });
  return publicUrl ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
