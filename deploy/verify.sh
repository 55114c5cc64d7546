#!/bin/sh
# Verifies that a release is complete and who signed it; exits with 0 only if both are correct:
#   sh verify.sh FOLDER PUBLIC_KEY.pem
# Get the key from another source than the release.
set -eu
folder=${1:?the folder of the release}
key=$(realpath "${2:?the public key of the signer}")
cd "$folder"
openssl pkeyutl -verify -rawin -pubin -inkey "$key" -sigfile SHA256SUMS.sig -in SHA256SUMS
sha256sum --check --strict SHA256SUMS
for file in *; do
  case $file in SHA256SUMS | SHA256SUMS.sig) continue ;; esac
  grep -q "  $file\$" SHA256SUMS || { echo "$file is not listed in SHA256SUMS."; exit 1; }
done
