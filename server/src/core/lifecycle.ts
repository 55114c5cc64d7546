/** A state machine: for each state, the allowed next states. */
export type Lifecycle<State extends string> = { readonly [from in State]: readonly State[] };

export function canTransition<State extends string>(
  lifecycle: Lifecycle<State>,
  from: State,
  to: State,
): boolean {
  return lifecycle[from].includes(to);
}

export function statesOf<State extends string>(lifecycle: Lifecycle<State>): readonly State[] {
  return Object.keys(lifecycle) as State[];
}

/** The only cause of a transition, by `FROM TO`. */
export type TransitionCauses = Readonly<Record<string, string>>;

/** Whether a status is final: always, never, or unless a named event happens. */
export type Finality = "final" | "not final" | { readonly unless: string };

export function finalityOf(
  lifecycle: Lifecycle<string>,
  status: string,
  causes: TransitionCauses = {},
): Finality {
  const exits = lifecycle[status] ?? [];
  if (exits.length === 0) return "final";
  const unlessCauses = exits.flatMap((to) => causes[`${status} ${to}`] ?? []);
  return unlessCauses.length === exits.length
    ? { unless: [...new Set(unlessCauses)].join(" or ") }
    : "not final";
}

/**
 * Generates the diagram of a lifecycle in docs/concepts, so that it always agrees with the code. A named cause labels
 * its transition; a final status leads to the end mark.
 */
export function toMermaid(lifecycle: Lifecycle<string>, causes: TransitionCauses = {}): string {
  const arrows = pairsOf(lifecycle).map(([from, to]) => {
    const cause = causes[`${from} ${to}`];
    return `  ${from} --> ${to}${cause === undefined ? "" : `: ${cause}`}`;
  });
  const ends = statesOf(lifecycle)
    .filter((status) => finalityOf(lifecycle, status, causes) !== "not final")
    .map((status) => `  ${status} --> [*]`);
  return ["stateDiagram-v2", ...arrows, ...ends].join("\n");
}

/**
 * Generates the body of the trigger function of a lifecycle, so that the database rejects transitions that the
 * lifecycle omits.
 */
export function toTransitionGuard(noun: string, lifecycle: Lifecycle<string>): string {
  const pairs = pairsOf(lifecycle).map(([from, to]) => `    ('${from}', '${to}')`);
  return `-- A ${noun} moves only as its lifecycle says; what is final stays as it is.
create or replace function ${noun}_follows_its_lifecycle() returns trigger
  language plpgsql set search_path = pg_catalog as $$
begin
  if old.status <> new.status and (old.status, new.status) not in (
${pairs.join(",\n")}
  ) then
    raise exception 'A ${noun} does not go from % to %.', old.status, new.status
      using errcode = 'check_violation', constraint = '${noun}_follows_its_lifecycle';
  end if;
  return new;
end
$$;
`;
}

function pairsOf(lifecycle: Lifecycle<string>): (readonly [string, string])[] {
  return Object.entries(lifecycle).flatMap(([from, exits]) => exits.map((to) => [from, to] as const));
}
