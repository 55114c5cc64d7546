/**
 * Thrown when a merchant does not live in this cell, or is just being moved: nothing was read, and nothing written. It is
 * neither "no" nor a fault of ours: whoever asked asks again, and is led to the merchant's home.
 */
export class ClientElsewhere extends Error {
  override readonly name = "ClientElsewhere";

  constructor() {
    super("The client lives in another cell, or is being moved.");
  }
}
