import type { PatroniNode } from "./patroni-settings.ts";

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

async function readMembers(nodes: readonly PatroniNode[]): Promise<readonly Member[]> {
  for (const { restPort } of nodes) {
    const signal = AbortSignal.timeout(1_000);
    const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal }).catch(() => undefined);
    if (response?.ok) return ((await response.json()) as { members: readonly Member[] }).members;
  }
  return [];
}

/** The node with this role, such as `leader`; empty if there is none. */
export async function findNodeWithRole(nodes: readonly PatroniNode[], wantedRole: string): Promise<string> {
  return (await readMembers(nodes)).find(({ role }) => role === wantedRole)?.name ?? "";
}

/**
 * `isHealthy` returns whether the leader runs and all other nodes follow it. A returning node first starts PostgreSQL,
 * and Patroni then stops it once more for pg_rewind, which reads from the leader. If the leader is lost during this
 * time, two of three nodes are lost, and payments correctly wait until one returns.
 */
export async function isHealthy(nodes: readonly PatroniNode[]): Promise<boolean> {
  const members = await readMembers(nodes);
  const leader = members.find(({ role }) => role === "leader");
  if (leader?.state !== "running") return false;
  const healthyStandbys = members.filter(
    ({ state, timeline }) => state === "streaming" && timeline === leader.timeline,
  );
  return (
    healthyStandbys.length === nodes.length - 1 && healthyStandbys.some(({ role }) => role === "sync_standby")
  );
}

/** Sends a request to Patroni on a node, like patronictl. */
export async function requestAction(
  { restPort }: PatroniNode,
  action: string,
  parameters: object,
): Promise<void> {
  const request = { method: "POST", body: JSON.stringify(parameters) };
  const response = await fetch(`http://127.0.0.1:${restPort}/${action}`, request);
  if (!response.ok) throw new Error(`${action}: ${await response.text()}`);
}
