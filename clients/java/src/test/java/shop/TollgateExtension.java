package shop;

import io.tollgate.testing.StartedTollgate;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a whole gateway to each test that has a parameter for it. It is started with the first of them, once for all
 * tests, and ended after the last. Copy this file into your tests: the library itself does not depend on JUnit.
 */
public final class TollgateExtension implements ParameterResolver {
  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == StartedTollgate.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
    return test.getRoot().getStore(Namespace.GLOBAL)
        .getOrComputeIfAbsent(Shared.class, key -> new Shared(StartedTollgate.start()), Shared.class)
        .tollgate();
  }

  private record Shared(StartedTollgate tollgate) implements CloseableResource {
    @Override
    public void close() {
      tollgate.close();
    }
  }
}
