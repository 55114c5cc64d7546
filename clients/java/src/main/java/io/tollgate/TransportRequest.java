package io.tollgate;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * The request, byte for byte.
 *
 * @param headers names are in lower case
 * @param timeout the time after which the response is no longer awaited
 * @param answerBytesMax the maximum size of the response in bytes; a transport can stop after one more byte,
 *     because the library rejects a longer response
 */
public record TransportRequest(
    String method, URI url, Map<String, String> headers, byte[] body, Duration timeout, int answerBytesMax) {}
