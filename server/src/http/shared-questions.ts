import type { InTurn } from "./limits.ts";

/** Questions to the database that several callers may have at the same moment. */
export interface SharedQuestions<Value> {
  /** With a question about it that is on its way already, if there is one. */
  ask(about: string, turn: InTurn): Promise<Value>;
  /** With a question that has not been asked yet: one that is on its way does not know what has changed since. */
  askAfresh(about: string, turn: InTurn): Promise<Value>;
}

export function shareQuestions<Value>(find: (about: string) => Promise<Value>): SharedQuestions<Value> {
  const asked = new Map<string, Promise<Value>>();
  const next = new Map<string, Promise<Value>>();

  function askNow(about: string, turn: InTurn): Promise<Value> {
    const answer = turn(() => find(about)).finally(() => asked.delete(about));
    asked.set(about, answer);
    return answer;
  }

  const ask = (about: string, turn: InTurn): Promise<Value> => asked.get(about) ?? askNow(about, turn);

  return {
    ask,
    askAfresh(about, turn) {
      const underWay = asked.get(about);
      if (!underWay) return askNow(about, turn);
      const waiting = next.get(about);
      if (waiting) return waiting;
      const answer = underWay
        .catch(() => undefined)
        .then(() => {
          next.delete(about);
          return ask(about, turn);
        });
      next.set(about, answer);
      return answer;
    },
  };
}
