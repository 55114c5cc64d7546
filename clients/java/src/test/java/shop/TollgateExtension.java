package shop;

import io.tollgate.testing.StartedTollgate;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Provides a complete gateway to each test that has a parameter for it. It starts before the first of these
 * tests and stops after the last test. Copy this file into your tests, because the library does not depend on
 * JUnit.
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
