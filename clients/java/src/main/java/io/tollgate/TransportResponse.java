package io.tollgate;

/** What came back, to the byte. */
public record TransportResponse(int status, HeaderValues headers, byte[] body) {}
