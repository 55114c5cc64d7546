package io.tollgate.exception;

/** The first mistake in a signed message. */
public enum SignatureProblem {
  MISSING_SIGNATURE("it has no signature. Does a proxy between you and the gateway send its own response?"),
  MISSING_TIME("it has a signature but no time."),
  MALFORMED_SIGNATURE("its signature header is malformed."),
  UNSUPPORTED_ALGORITHM("its signature algorithm is not RSA256."),
  UNKNOWN_KEY_VERSION("its key version is not configured. Was the gateway's key rotated?"),
  CLIENT_MISMATCH("it is for another client id."),
  MISMATCH("the signature does not match. Usual causes: a wrong public key of the gateway, a wrong path, or a body "
      + "that was changed in transit or parsed and written again."),
  BAD_TIME("its time is malformed."),
  STALE("its time differs too much from your clock. Is your clock correct?"),
  OTHER_SUBJECT("it is signed, but its id differs from the id in the request. Does a proxy between you and the "
      + "gateway send an old response (replay)?"),
  REPLAYED("it was received before (replay).");

  private final String likelyCause;

  SignatureProblem(String likelyCause) {
    this.likelyCause = likelyCause;
  }

  public String likelyCause() {
    return likelyCause;
  }
}
