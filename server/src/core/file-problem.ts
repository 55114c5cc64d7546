/** What is wrong with a file that somebody gave us, and where: in which line, or in what of it. */
export class FileProblem extends Error {
  override readonly name = "FileProblem";

  constructor(place: number | string, problem: string) {
    super(`${typeof place === "number" ? `Line ${place}` : place}: ${problem}`);
  }
}
