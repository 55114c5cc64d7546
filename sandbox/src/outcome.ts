/** What an order to the wallet came to: an HTTP status, and what is answered in JSON. */
export interface Outcome {
  readonly status: number;
  readonly answer: object;
}

export function done(answer: object): Outcome {
  return { status: 200, answer };
}

/** It is not understood. */
export function wrong(problem: string): Outcome {
  return { status: 400, answer: { problem } };
}

export function missing(problem: string): Outcome {
  return { status: 404, answer: { problem } };
}

/** It is understood, and not possible as things are. */
export function notNow(problem: string, more: object = {}): Outcome {
  return { status: 409, answer: { problem, ...more } };
}
