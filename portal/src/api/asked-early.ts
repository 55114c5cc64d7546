/** Questions that a page asks while its code is on its way. Each answer is taken once. */
const asked = new Map<string, Promise<Response>>();

export function askEarly(path: string): void {
  const answer = fetch(path);
  // It is told to whoever takes it.
  answer.catch(() => undefined);
  asked.set(path, answer);
}

export function takeEarly(path: string): Promise<Response> | undefined {
  const answer = asked.get(path);
  asked.delete(path);
  return answer;
}
