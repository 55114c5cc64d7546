/** Tollgate's client library. Everything that is not exported may change at any time. */
module io.tollgate {
  requires transitive java.net.http;
  /* Only `ApplyOnce` speaks to a database. Who does not use it can do without. */
  requires static transitive java.sql;

  exports io.tollgate;
  exports io.tollgate.exception;
  exports io.tollgate.model;
  exports io.tollgate.testing;
}
