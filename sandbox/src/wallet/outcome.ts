/** The result of an action on the wallet: an HTTP status, and a JSON response. */
export interface Outcome {
  readonly status: number;
  readonly answer: object;
}

export function ok(answer: object): Outcome {
  return { status: 200, answer };
}

/** The request is invalid. */
export function badRequest(problem: string): Outcome {
  return { status: 400, answer: { problem } };
}

export function notFound(problem: string): Outcome {
  return { status: 404, answer: { problem } };
}

/** The request is valid, but not possible in the current state. */
export function conflict(problem: string, more: object = {}): Outcome {
  return { status: 409, answer: { problem, ...more } };
}
