/** `append` adds a value to the list of a key. */
export function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** `reachableBackwards` returns the states from which one of these states can be reached. */
export function reachableBackwards(
  from: readonly string[],
  predecessors: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const reached = new Set(from);
  const queue = [...from];
  for (let key = queue.pop(); key !== undefined; key = queue.pop())
    for (const earlier of predecessors.get(key) ?? [])
      if (!reached.has(earlier)) {
        reached.add(earlier);
        queue.push(earlier);
      }
  return reached;
}

/** `firstOutside` returns the first key that is not in the set. */
export function firstOutside(keys: readonly string[], reachable: ReadonlySet<string>): string | undefined {
  return keys.find((key) => !reachable.has(key));
}

/** `pathTo` returns the labels of the steps from the first state to this one. */
export function pathTo(
  predecessorOf: ReadonlyMap<string, { readonly from: string; readonly label: string } | undefined>,
  key: string,
): readonly string[] {
  const labels: string[] = [];
  for (let step = predecessorOf.get(key); step; step = predecessorOf.get(step.from))
    labels.unshift(step.label);
  return labels;
}
