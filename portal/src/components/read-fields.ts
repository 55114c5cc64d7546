/** `readFields` returns the values of a form by field name. */
export function readFields<Name extends string>(
  form: HTMLFormElement,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const typed = new FormData(form);
  const entries = names.map((name) => [name, textIn(typed.get(name))] as const);
  return Object.fromEntries(entries) as Record<Name, string>;
}

function textIn(value: FormDataEntryValue | null): string {
  return typeof value === "string" ? value.trim() : "";
}
