#!/bin/sh
# Tells whether a release is whole, and whose it is; ends with 0 only if both hold:
#   sh verify.sh FOLDER PUBLIC_KEY.pem
# Take the key from somewhere else than the release.
set -eu
folder=${1:?the folder of the release}
key=$(realpath "${2:?the public key of whoever has signed it}")
cd "$folder"
openssl pkeyutl -verify -rawin -pubin -inkey "$key" -sigfile SHA256SUMS.sig -in SHA256SUMS
sha256sum --check --strict SHA256SUMS
for file in *; do
  case $file in SHA256SUMS | SHA256SUMS.sig) continue ;; esac
  grep -q "  $file\$" SHA256SUMS || { echo "$file is not of the release."; exit 1; }
done
