package io.tollgate;

/** What a till is doing. */
public enum TillState {
  /** The buyer is asked to pay. */
  ASKING,
  /** Nobody knows yet, and the gateway is asked. */
  CHECKING,
  /** The payment is called off. */
  CANCELLING
}
