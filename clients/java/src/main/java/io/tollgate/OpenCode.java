package io.tollgate;

/** A code or a page that a buyer can pay with. Pass it to {@code finishByCode}. Nothing is paid yet. */
public sealed interface OpenCode extends CodeResult permits ShownOrderCode, OpenedEntryCode {
  /** Until when; ISO 8601, by the clock of this machine. */
  String endsAt();
}
