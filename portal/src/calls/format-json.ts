/** `indentJson` formats JSON with line breaks. A text that is not JSON, or is truncated, is returned unchanged. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
