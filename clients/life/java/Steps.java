package io.tollgate.life;

/** Prints the verdict of each step, one line each. */
final class Steps {
  interface Step {
    void live() throws Exception;
  }

  private static boolean hasFailed;

  private Steps() {}

  static void step(String name, Step step) {
    try {
      step.live();
      System.out.println(name + " ok");
    } catch (Exception | AssertionError problem) {
      hasFailed = true;
      System.out.println(name + " FAILED " + problem.toString().replaceAll("\\s+", " "));
    }
  }

  static boolean hasFailed() {
    return hasFailed;
  }

  /** @param found the value to print if the check fails */
  static void check(boolean holds, Object found) {
    if (!holds) throw new AssertionError(String.valueOf(found));
  }

  static <T extends Exception> T thrownBy(Class<T> type, Step step) throws Exception {
    try {
      step.live();
    } catch (Exception problem) {
      check(type.isInstance(problem), problem);
      return type.cast(problem);
    }
    throw new AssertionError("Expected a " + type.getSimpleName() + ".");
  }
}
