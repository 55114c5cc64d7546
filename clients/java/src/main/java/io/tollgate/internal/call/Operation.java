package io.tollgate.internal.call;

import io.tollgate.Answer;
import io.tollgate.internal.json.Codec;

/**
 * What the library has to know of an operation.
 *
 * @param path such as {@code payments/pay}
 * @param isRepeatable whether the same body may be sent again when nobody knows what became of it
 * @param idempotencyField the field of the request that makes two calls the same one, or null
 */
public record Operation<Q, A extends Answer>(
    String path, boolean isRepeatable, String idempotencyField, Codec<Q> request, Codec<A> answer) {}
