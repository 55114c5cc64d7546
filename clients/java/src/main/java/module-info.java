/** Tollgate's client library. Packages that are not exported may change at any time. */
module io.tollgate {
  requires transitive java.net.http;
  /* `java.sql` is optional, because only `ApplyOnce` uses a database. */
  requires static transitive java.sql;

  exports io.tollgate;
  exports io.tollgate.exception;
  exports io.tollgate.model;
  exports io.tollgate.testing;
}
