/** Requests that `first.ts` sends while the page's code is still loading. Each response is used once. */
const asked = new Map<string, Promise<Response>>();

export function requestEarly(path: string): void {
  const answer = fetch(path);
  // The caller that takes the response handles the error.
  answer.catch(() => undefined);
  asked.set(path, answer);
}

export function takeEarlyResponse(path: string): Promise<Response> | undefined {
  const answer = asked.get(path);
  asked.delete(path);
  return answer;
}
