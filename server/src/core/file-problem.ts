/** A mistake in an imported file, and its place: the line or the element. */
export class FileProblem extends Error {
  override readonly name = "FileProblem";

  constructor(place: number | string, problem: string) {
    super(`${typeof place === "number" ? `Line ${place}` : place}: ${problem}`);
  }
}
