/** What is wrong with a file that somebody gave us, and in which line. */
export class FileProblem extends Error {
  override readonly name = "FileProblem";

  constructor(line: number, problem: string) {
    super(`Line ${line}: ${problem}`);
  }
}
