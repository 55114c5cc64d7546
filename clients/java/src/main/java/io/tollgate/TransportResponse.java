package io.tollgate;

/** The response, byte for byte. */
public record TransportResponse(int status, HeaderValues headers, byte[] body) {}
