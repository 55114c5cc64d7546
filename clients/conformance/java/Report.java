package io.tollgate.conformance;

import java.util.Map;
import java.util.Objects;

/** Prints the verdict of each case on one line: {@code <file>/<id> ok}, or {@code <file>/<id> FAILED why}. */
final class Report {
  /** Runs one case and returns its problem; null if there is none. */
  interface Check {
    String run(Map<String, Object> scripted) throws Exception;
  }

  private static boolean hasFailed;

  private Report() {}

  static void on(String file, Check check) {
    on(file, "cases", check);
  }

  static void on(String file, String list, Check check) {
    for (var scripted : Vectors.cases(file, list)) {
      var problem = problemOf(scripted, check);
      hasFailed |= problem != null;
      var verdict = problem == null ? "ok" : "FAILED " + problem.replaceAll("\\s+", " ");
      System.out.println(file + "/" + scripted.get("id") + " " + verdict);
    }
  }

  static boolean hasFailed() {
    return hasFailed;
  }

  /** Compares two JSON values. Returns null if they are equal in any order of fields. */
  static String difference(Object actual, Object expected) {
    return Objects.equals(actual, expected) ? null : actual + " is not " + expected;
  }

  private static String problemOf(Map<String, Object> scripted, Check check) {
    try {
      return check.run(scripted);
    } catch (Exception problem) {
      return problem.toString();
    }
  }
}
