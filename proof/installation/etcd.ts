import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { waitUntil } from "./postgres-server.ts";

/** Three etcd members, each a process, which elect a leader. */
export interface Etcd {
  readonly ports: readonly number[];
  /** Waits until there is a leader, and returns its number. */
  leader(): Promise<number>;
  /** The value of a key; empty if it has none, or if it has expired. */
  read(key: string): Promise<string>;
  kill(member: number): void;
  /** Starts a member again, with its data on disk. */
  restart(member: number): void;
  /** Resolves when all three respond and agree on a leader. */
  waitUntilHealthy(): Promise<void>;
  killAll(): void;
}

interface Member {
  readonly name: string;
  readonly clients: string;
  readonly peers: string;
  process: ChildProcess | undefined;
}

const healthyWithinMs = 60_000;

/** `run` starts a program in its own folder. */
export async function startEtcd(
  folder: string,
  run: (name: string, program: string, args: readonly string[]) => ChildProcess,
): Promise<Etcd> {
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()];
  const members: Member[] = [];
  for (const [index, port] of ports.entries()) {
    const urls = { clients: `http://127.0.0.1:${port}`, peers: `http://127.0.0.1:${await findFreePort()}` };
    members.push({ name: `etcd_${index + 1}`, ...urls, process: undefined });
  }
  const all = members.map(({ name, peers }) => `${name}=${peers}`).join(",");
  const start = (member: Member): void => {
    const { name, clients, peers } = member;
    const options = {
      name,
      "data-dir": join(folder, name, "data"),
      "listen-client-urls": clients,
      "advertise-client-urls": clients,
      "listen-peer-urls": peers,
      "initial-advertise-peer-urls": peers,
      "initial-cluster": all,
    };
    const args = Object.entries(options).map(([option, value]) => `--${option}=${value}`);
    member.process = run(name, "etcd", args);
  };
  for (const member of members) start(member);
  const waitUntilHealthy = (): Promise<void> =>
    waitUntil(async () => {
      const leaders = await Promise.all(members.map(readLeaderView));
      return leaders.every((leader) => leader !== undefined && leader.id === leaders[0]?.id);
    }, healthyWithinMs);
  await waitUntilHealthy();
  return {
    ports,
    waitUntilHealthy,
    async leader() {
      let leaderIndex = -1;
      await waitUntil(async () => {
        const views = await Promise.all(members.map(readLeaderView));
        leaderIndex = views.findIndex((each) => each?.isLeader === true);
        return leaderIndex >= 0;
      }, healthyWithinMs);
      return leaderIndex;
    },
    read: (key) => read(members, key),
    kill: (index) => void members[index]?.process?.kill("SIGKILL"),
    restart: (index) => {
      const member = members[index];
      if (member) start(member);
    },
    killAll: () => {
      for (const member of members) member.process?.kill("SIGKILL");
    },
  };
}

async function read(members: readonly Member[], key: string): Promise<string> {
  const body = JSON.stringify({ key: Buffer.from(key).toString("base64") });
  for (const { clients } of members) {
    const request = { method: "POST", body, signal: AbortSignal.timeout(2_000) };
    const response = await fetch(`${clients}/v3/kv/range`, request).catch(() => undefined);
    if (!response?.ok) continue;
    const { kvs } = (await response.json()) as { readonly kvs?: readonly { readonly value: string }[] };
    return Buffer.from(kvs?.[0]?.value ?? "", "base64").toString("utf8");
  }
  throw new Error("No member of etcd answers.");
}

interface LeaderView {
  readonly id: string;
  readonly isLeader: boolean;
}

async function readLeaderView({ clients }: Member): Promise<LeaderView | undefined> {
  const signal = AbortSignal.timeout(1_000);
  const request = { method: "POST", body: "{}", signal };
  const response = await fetch(`${clients}/v3/maintenance/status`, request).catch(() => undefined);
  if (!response?.ok) return undefined;
  const { leader = "0", header } = (await response.json()) as {
    readonly leader?: string;
    readonly header: { readonly member_id: string };
  };
  return leader === "0" ? undefined : { id: leader, isLeader: leader === header.member_id };
}
