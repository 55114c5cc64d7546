import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../../server/src/postgres/temporary-postgres.ts";
import { until } from "./postgres-server.ts";

/** Three etcd members, each a process, which elect a leader. */
export interface Etcd {
  readonly ports: readonly number[];
  /** Waits until there is a leader, and returns its number. */
  leader(): Promise<number>;
  /** The value of a key; empty if it has none, or if it has expired. */
  read(key: string): Promise<string>;
  kill(member: number): void;
  /** Starts a member again, with its data on disk. */
  revive(member: number): void;
  /** Resolves when all three respond and agree on a leader. */
  whole(): Promise<void>;
  killAll(): void;
}

interface Member {
  readonly name: string;
  readonly clients: string;
  readonly peers: string;
  process: ChildProcess | undefined;
}

const wholeWithinMs = 60_000;

/** `run` starts a program in its own folder. */
export async function startEtcd(
  folder: string,
  run: (name: string, program: string, words: readonly string[]) => ChildProcess,
): Promise<Etcd> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const members: Member[] = [];
  for (const [index, port] of ports.entries()) {
    const urls = { clients: `http://127.0.0.1:${port}`, peers: `http://127.0.0.1:${await freePort()}` };
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
    const words = Object.entries(options).map(([option, value]) => `--${option}=${value}`);
    member.process = run(name, "etcd", words);
  };
  for (const member of members) start(member);
  const whole = (): Promise<void> =>
    until(async () => {
      const leaders = await Promise.all(members.map(leaderSeenBy));
      return leaders.every((leader) => leader !== undefined && leader.id === leaders[0]?.id);
    }, wholeWithinMs);
  await whole();
  return {
    ports,
    whole,
    async leader() {
      let leading = -1;
      await until(async () => {
        const seen = await Promise.all(members.map(leaderSeenBy));
        leading = seen.findIndex((each) => each?.isItself === true);
        return leading >= 0;
      }, wholeWithinMs);
      return leading;
    },
    read: (key) => read(members, key),
    kill: (index) => void members[index]?.process?.kill("SIGKILL"),
    revive: (index) => {
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
    const asked = { method: "POST", body, signal: AbortSignal.timeout(2_000) };
    const response = await fetch(`${clients}/v3/kv/range`, asked).catch(() => undefined);
    if (!response?.ok) continue;
    const { kvs } = (await response.json()) as { readonly kvs?: readonly { readonly value: string }[] };
    return Buffer.from(kvs?.[0]?.value ?? "", "base64").toString("utf8");
  }
  throw new Error("No member of etcd answers.");
}

interface Seen {
  readonly id: string;
  readonly isItself: boolean;
}

async function leaderSeenBy({ clients }: Member): Promise<Seen | undefined> {
  const signal = AbortSignal.timeout(1_000);
  const asked = { method: "POST", body: "{}", signal };
  const response = await fetch(`${clients}/v3/maintenance/status`, asked).catch(() => undefined);
  if (!response?.ok) return undefined;
  const { leader = "0", header } = (await response.json()) as {
    readonly leader?: string;
    readonly header: { readonly member_id: string };
  };
  return leader === "0" ? undefined : { id: leader, isItself: leader === header.member_id };
}
