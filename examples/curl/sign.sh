# Sourced by the other examples. `call` signs a request, sends it, and accepts the response only if its signature is
# valid; `field` reads a field of that response. Needs bash, openssl and curl.
# shellcheck shell=bash

# The client libraries read the variables with TOLLGATE_, and `tollgate dev` writes them to .env.
: "${BASE_URL:=${TOLLGATE_BASE_URL:?for example https://gateway.example}}"
: "${CLIENT_ID:=${TOLLGATE_CLIENT_ID:?the id that the gateway gave you}}"
: "${KEY_VERSION:=${TOLLGATE_KEY_VERSION:-1}}"
: "${PRIVATE_KEY_FILE:=${TOLLGATE_PRIVATE_KEY_FILE:?your private key, as PEM}}"
: "${GATEWAY_PUBLIC_KEY_FILE:=${TOLLGATE_GATEWAY_PUBLIC_KEY_FILE:?the public key of the gateway, as PEM}}"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# call OPERATION BODY: sends a request to an operation of payments, or to area/operation. Stores the response in
# $answer, or ends the script.
call() {
  local api=/ams/api path time signature answered_at='' answer_signature='' name value
  [[ $CLIENT_ID == SANDBOX_* ]] && api=/ams/sandbox/api
  path=$api/v1/$1
  [[ $1 == */* ]] || path=$api/v1/payments/$1
  time="$(date +%s)000"

  # Requests and responses sign the same text: the request's method and path, client id, time, and the exact bytes of
  # the body.
  signature=$(printf 'POST %s\n%s.%s.%s' "$path" "$CLIENT_ID" "$time" "$2" |
    openssl dgst -sha256 -sign "$PRIVATE_KEY_FILE" | openssl base64 -A) || exit
  # The header value is percent-encoded; of base64's characters only `+`, `/` and `=` change.
  signature=${signature//+/%2B}
  signature=${signature//\//%2F}
  signature=${signature//=/%3D}

  curl --silent --show-error --fail --max-time 15 "${BASE_URL%/}$path" \
    --header "Content-Type: application/json; charset=UTF-8" \
    --header "Client-Id: $CLIENT_ID" \
    --header "Request-Time: $time" \
    --header "Signature: algorithm=RSA256,keyVersion=$KEY_VERSION,signature=$signature" \
    --data-binary "$2" --dump-header "$folder/headers" --output "$folder/body" || exit

  while IFS=': ' read -r name value; do
    value=${value%$'\r'}
    case $name in
      [Rr]esponse-[Tt]ime) answered_at=$value ;;
      [Ss]ignature) answer_signature=${value##*signature=} ;;
    esac
  done <"$folder/headers"

  if ! printf '%b' "${answer_signature//%/\\x}" | openssl base64 -d -A -out "$folder/signature" ||
    ! { printf 'POST %s\n%s.%s.' "$path" "$CLIENT_ID" "$answered_at" && cat "$folder/body"; } |
    openssl dgst -sha256 -verify "$GATEWAY_PUBLIC_KEY_FILE" -signature "$folder/signature" >"$folder/verdict" 2>&1; then
    echo "signature: NOT verified; this answer is not from the gateway whose key you hold" >&2
    exit 1
  fi
  answer=$(<"$folder/body")
}

# field NAME: prints the first text value of the field NAME in the response. This is enough for ids, codes and
# addresses.
field() {
  local pattern="\"$1\":\"([^\"]*)\""
  [[ $answer =~ $pattern ]] && printf '%s\n' "${BASH_REMATCH[1]}"
}
