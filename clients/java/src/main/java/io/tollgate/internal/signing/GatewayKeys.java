package io.tollgate.internal.signing;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The gateway's public keys: one key for all key versions, or one key for each version. */
public final class GatewayKeys {
  private final GatewayKey one;
  private final Map<Integer, GatewayKey> byVersion;

  private GatewayKeys(GatewayKey one, Map<Integer, GatewayKey> byVersion) {
    this.one = one;
    this.byVersion = byVersion;
  }

  public static GatewayKeys one(GatewayKey key) {
    return new GatewayKeys(key, Map.of());
  }

  public static GatewayKeys byVersion(Map<Integer, GatewayKey> keys) {
    return new GatewayKeys(null, Map.copyOf(keys));
  }

  /** The key of this version, or null. */
  public GatewayKey get(int version) {
    return one != null ? one : byVersion.get(version);
  }

  public Collection<GatewayKey> all() {
    return one != null ? List.of(one) : byVersion.values();
  }
}
