package io.tollgate;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Supplier;

/** Iterates over items, and requests a page only when it is needed. */
final class Pages<T> implements Iterator<T> {
  /** Requests the next page; null at the end. An empty page is not the end. */
  private final Supplier<List<T>> next;
  private Iterator<T> page = List.<T>of().iterator();

  Pages(Supplier<List<T>> next) {
    this.next = next;
  }

  @Override
  public boolean hasNext() {
    while (page != null && !page.hasNext()) {
      var found = next.get();
      page = found == null ? null : found.iterator();
    }
    return page != null;
  }

  @Override
  public T next() {
    if (!hasNext()) throw new NoSuchElementException();
    return page.next();
  }
}
