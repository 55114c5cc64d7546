package io.tollgate.internal.call;

import io.tollgate.Answer;
import io.tollgate.internal.json.Codec;

/**
 * The facts that the library needs about an operation.
 *
 * @param path such as {@code payments/pay}
 * @param isRepeatable whether the library may retry the request when its outcome is unknown
 * @param idempotencyField the field of the request that contains the idempotency key, or null
 */
public record Operation<Q, A extends Answer>(
    String path, boolean isRepeatable, String idempotencyField, Codec<Q> request, Codec<A> answer) {}
