package io.tollgate;

import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/** The headers of a message. Names are case-insensitive. */
@FunctionalInterface
public interface HeaderValues {
  /** All values of a header, in order; an empty list if there is none. */
  List<String> of(String name);

  /** Reads headers from a map, as most servers and clients have them. */
  static HeaderValues in(Map<String, ? extends Iterable<String>> headers) {
    return name -> headers.entrySet().stream()
        .filter(header -> name.equalsIgnoreCase(header.getKey()) && header.getValue() != null)
        .flatMap(header -> StreamSupport.stream(header.getValue().spliterator(), false))
        .toList();
  }
}
