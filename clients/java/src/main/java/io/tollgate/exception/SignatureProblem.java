package io.tollgate.exception;

/** The first thing that is wrong with a signed message. */
public enum SignatureProblem {
  MISSING_SIGNATURE("it carries no signature. Is something between you and the gateway answering in its place?"),
  MISSING_TIME("it carries a signature but no time."),
  MALFORMED_SIGNATURE("its signature header cannot be read."),
  UNSUPPORTED_ALGORITHM("it is signed with another algorithm than RSA256."),
  UNKNOWN_KEY_VERSION("it names a key version of the gateway that you have not configured. Was its key rotated?"),
  CLIENT_MISMATCH("it is addressed to another client id."),
  MISMATCH("the signature does not match. Most often the gateway's public key is not the right one, the path is not "
      + "the one that was called, or the body was changed on the way or parsed and written again."),
  BAD_TIME("its time cannot be read."),
  STALE("its time is too far from now. Is your clock right?"),
  OTHER_SUBJECT("it is signed, and answers another question: it names another id than the one that was asked about. Is "
      + "something between you and the gateway answering with what it kept?"),
  REPLAYED("it was taken before.");

  private final String likelyCause;

  SignatureProblem(String likelyCause) {
    this.likelyCause = likelyCause;
  }

  public String likelyCause() {
    return likelyCause;
  }
}
