package io.tollgate;

/**
 * A code or page with which a buyer can pay. Pass it to {@code finishByCode}. The payment is not paid yet.
 */
public sealed interface OpenCode extends CodeResult permits ShownOrderCode, OpenedEntryCode {
  /** The time of expiry in ISO 8601, by the clock of this machine. */
  String endsAt();
}
