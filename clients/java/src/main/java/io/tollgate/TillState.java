package io.tollgate;

/** The state of a payment at a point of sale. */
public enum TillState {
  /** The buyer is asked to pay. */
  ASKING,
  /** The outcome is unknown, and the library inquires. */
  CHECKING,
  /** The payment is being cancelled. */
  CANCELLING
}
