/** A value of a form: a text, or fields by name. A list has the names 0, 1, 2 … */
export type FormValue = Readonly<Record<string, unknown>>;

/** Parses a form with names such as `line_items[0][price_data][currency]`, as Stripe's API reads it. */
export function parseForm(text: string): FormValue {
  const form: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = [...name.matchAll(/[^[\]]+/g)].map(([key]) => key);
    const last = keys.pop() ?? name;
    let target = form;
    for (const key of keys) target = (target[key] ??= {}) as Record<string, unknown>;
    target[last] = value;
  }
  return form;
}
