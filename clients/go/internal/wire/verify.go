package wire

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"
)

// Problem is the reason why a message is rejected; "" if there is none.
type Problem string

// The reasons why a message is rejected, in the order of the checks.
const (
	MissingSignature     Problem = "MISSING_SIGNATURE"
	MissingTime          Problem = "MISSING_TIME"
	MalformedSignature   Problem = "MALFORMED_SIGNATURE"
	UnsupportedAlgorithm Problem = "UNSUPPORTED_ALGORITHM"
	UnknownKeyVersion    Problem = "UNKNOWN_KEY_VERSION"
	ClientMismatch       Problem = "CLIENT_MISMATCH"
	Mismatch             Problem = "MISMATCH"
	BadTime              Problem = "BAD_TIME"
	Stale                Problem = "STALE"
)

// The names of the header with the time, by the kind of message.
const (
	ResponseTime = "Response-Time"
	RequestTime  = "Request-Time"
)

// GatewayKeys returns the gateway's public key for a key version, or nil.
type GatewayKeys func(version int) *rsa.PublicKey

// Received is a received message, with the path and client id that it must be for.
type Received struct {
	Method     string
	Path       string
	ClientID   string
	TimeHeader string
	Header     http.Header
	Body       []byte
}

// Verified is a message with a valid signature.
type Verified struct {
	// ReplayKey is the signature in base64: unique for each message.
	ReplayKey string
	// Time is the text of the message's time header.
	Time string
}

// Verify checks a message. The order of the checks is part of the contract: presence, syntax, algorithm, key
// version, base64, client id, signature.
func Verify(message Received, keys GatewayKeys) (Verified, Problem) {
	header, problem := ReadSignatureHeader(message.Header.Values("Signature"))
	if problem != "" {
		return Verified{}, problem
	}
	times := message.Header.Values(message.TimeHeader)
	if len(times) == 0 {
		return Verified{}, MissingTime
	}
	key := keys(header.KeyVersion)
	if key == nil {
		return Verified{}, UnknownKeyVersion
	}
	signature := DecodeSignature(header.Signature)
	if signature == nil || len(signature) != key.Size() {
		return Verified{}, MalformedSignature
	}
	if named := message.Header.Values("Client-Id"); len(named) > 0 && named[0] != message.ClientID {
		return Verified{}, ClientMismatch
	}
	digest := sha256.Sum256(SignedText(message.Method, message.Path, message.ClientID, times[0], message.Body))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) != nil {
		return Verified{}, Mismatch
	}
	return Verified{ReplayKey: base64.StdEncoding.EncodeToString(signature), Time: times[0]}, ""
}

// TimeProblem checks the age of a message. A tolerance of zero disables the check.
func TimeProblem(text string, now time.Time, tolerance time.Duration) Problem {
	at, isTime := ParseTime(text)
	if !isTime {
		return BadTime
	}
	if tolerance != 0 && now.Sub(at).Abs() > tolerance {
		return Stale
	}
	return ""
}
