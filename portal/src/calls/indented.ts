/** JSON in lines, for people; a text that is none, or that was cut, stays as it is. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
