<?php

declare(strict_types=1);

namespace Tollgate\Keys;

use Tollgate\Errors\ConfigurationError;

/**
 * The gateway's public keys: one key for all key versions, or one key for each version.
 *
 * @internal
 */
final class GatewayKeys
{
    /** @param array<int, PublicKey> $byVersion */
    private function __construct(private readonly array $byVersion, private readonly ?PublicKey $one)
    {
    }

    /** @param string|array<int, string> $given */
    public static function of(string|array $given): self
    {
        if (is_string($given)) {
            return new self([], PublicKey::of($given));
        }
        if ($given === []) {
            throw new ConfigurationError('At least one public key of the gateway is required.');
        }
        return new self(array_map(PublicKey::of(...), $given), null);
    }

    public function find(int $version): ?PublicKey
    {
        return $this->one ?? $this->byVersion[$version] ?? null;
    }

    /**
     * Whether one of the gateway's keys is the public key of your own private key. Passing one's own public
     * key is the most common mistake.
     */
    public function isHalfOf(PrivateKey $own): bool
    {
        $all = $this->one === null ? $this->byVersion : [$this->one];
        return in_array($own->spki, array_column($all, 'spki'), true);
    }
}
