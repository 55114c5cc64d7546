/** Requests that `first.ts` sends while the page's code is still loading. Each response is used once. */
const earlyResponses = new Map<string, Promise<Response>>();

export function requestEarly(path: string): void {
  const answer = fetch(path);
  // The caller that takes the response handles the error.
  answer.catch(() => undefined);
  earlyResponses.set(path, answer);
}

export function takeEarlyResponse(path: string): Promise<Response> | undefined {
  const answer = earlyResponses.get(path);
  earlyResponses.delete(path);
  return answer;
}
