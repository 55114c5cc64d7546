/**
 * Thrown if a merchant's data is in another cell, or is being moved: nothing was read or written. It is neither a
 * rejection nor a fault: the caller retries, and is forwarded to the merchant's home cell.
 */
export class WrongCellError extends Error {
  override readonly name = "WrongCellError";

  constructor() {
    super("The client's data is in another cell, or is being moved.");
  }
}
