module shop {
  requires io.tollgate;
}
