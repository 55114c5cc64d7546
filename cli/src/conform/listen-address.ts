import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { UsageError, type Given } from "../../../server/src/commands/command.ts";
import { wholeNumber } from "../../../server/src/commands/whole-number.ts";
import { addressIn } from "./address-in.ts";

/** Where this machine listens, and how the other side reaches it there. */
export interface ListenAddress {
  readonly port: number;
  /** Undefined: on this machine alone. */
  readonly publicUrl: string | undefined;
}

/** From `--listen-url` and `--listen-port`. Behind a tunnel the port is not that of the address. */
export function listenAddressIn(given: Given): ListenAddress {
  const port = wholeNumber(given, "listen-port", [0, 65_535]);
  const text = given.value("listen-url");
  if (text === undefined) return { port: port ?? 0, publicUrl: undefined };
  const { origin, port: named, pathname, search } = addressIn(text);
  if (pathname !== "/" || search !== "")
    throw new UsageError(`--listen-url is an address without a path: ${origin}.`);
  if (port === undefined && named === "")
    throw new UsageError(`Say with --listen-port N where this machine takes what is sent to ${origin}.`);
  return { port: port ?? Number(named), publicUrl: origin };
}

/** Listens, beyond this machine only if it is to be reached from there, and gives the address that the other side calls. */
export async function listenAt(server: Server, { port, publicUrl }: ListenAddress): Promise<string> {
  const host = publicUrl === undefined ? { host: "127.0.0.1" } : {};
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen({ port, ...host }, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new UsageError(`Port ${port} is taken: name another with --listen-port.`);
  });
  return publicUrl ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
