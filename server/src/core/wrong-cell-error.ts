/**
 * Thrown if a merchant's data is in another cell, or is being moved: nothing was read or written. The error is neither
 * a rejection nor a fault: the caller retries, and the gateway forwards the request to the merchant's home cell.
 */
export class WrongCellError extends Error {
  override readonly name = "WrongCellError";

  constructor() {
    super("The client's data is in another cell, or is being moved.");
  }
}
