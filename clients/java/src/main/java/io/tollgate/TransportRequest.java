package io.tollgate;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * What is sent, to the byte.
 *
 * @param headers by their names in lower case
 * @param timeout after which nobody waits for the answer any more
 * @param answerBytesMax nobody has to read more than one byte beyond: such an answer is refused
 */
public record TransportRequest(
    String method, URI url, Map<String, String> headers, byte[] body, Duration timeout, int answerBytesMax) {}
