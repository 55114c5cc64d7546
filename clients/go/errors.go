package tollgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"tollgate.example/tollgate/internal/keys"
)

// CallFacts has the facts about a call. All of them are safe to log.
type CallFacts struct {
	// Operation is the path of the operation, such as payments/pay.
	Operation string
	// RequestID is your own id of the request, such as its paymentRequestId. Retry with the same id.
	RequestID string
	// TraceID is the gateway's id of the request. Give it to support.
	TraceID string
	// Attempts is the number of times the request was sent.
	Attempts int
}

// Facts returns the facts about the call.
func (f CallFacts) Facts() CallFacts { return f }

// GatewayError is implemented by every error of a call: errors.As finds it.
type GatewayError interface {
	error
	// Facts returns the facts about the failed call.
	Facts() CallFacts
}

// The kinds of rejections and faults, for errors.Is. Every error of this library has one of the types below;
// its kind is one of these values.
var (
	// ErrOutcomeUnknown means that the request may have taken effect. Retry with the same id, or inquire.
	ErrOutcomeUnknown = errors.New("the outcome is unknown")
	// ErrInvalidRequest means that the request is invalid. Correct it.
	ErrInvalidRequest = errors.New("invalid request")
	// ErrAuthentication means that the gateway could not authenticate the client: client id, key or
	// signature.
	ErrAuthentication = errors.New("not authenticated")
	// ErrPermission means that the client is authenticated, but not allowed to do this.
	ErrPermission = errors.New("not permitted")
	// ErrIdempotencyConflict means that the request id was used before with different content.
	ErrIdempotencyConflict = errors.New("the request id was used before with different content")
	// ErrRateLimit means that there were too many requests. The request had no effect.
	ErrRateLimit = errors.New("too many requests")
	// ErrNotFound means that the record does not exist.
	ErrNotFound = errors.New("not found")
	// ErrDeclined means that the buyer, the payment provider or a rule of the payment rejected the request.
	ErrDeclined = errors.New("declined")
	// ErrServer means that there was a fault at the gateway or at a system behind it.
	ErrServer = errors.New("failed at the gateway")
)

// ConfigurationError means that the configuration or a request is invalid. No request was sent.
type ConfigurationError struct {
	CallFacts
	// Message says what to change.
	Message string
}

// Error returns the Message.
func (e *ConfigurationError) Error() string { return e.Message }

func misconfigured(format string, values ...any) *ConfigurationError {
	return &ConfigurationError{Message: fmt.Sprintf(format, values...)}
}

// KeyProblem is the reason why a key is invalid.
type KeyProblem string

// The reasons why a key is invalid.
const (
	// KeyEmpty means that the text is empty.
	KeyEmpty KeyProblem = "EMPTY"
	// KeyNotBase64 means that the text is neither PEM nor base64.
	KeyNotBase64 KeyProblem = "NOT_BASE64"
	// KeyNotAKey means that the text is not an RSA key in a known format, or that it is truncated.
	KeyNotAKey KeyProblem = "NOT_A_KEY"
	// KeyEncrypted means that the key is protected by a password.
	KeyEncrypted KeyProblem = "ENCRYPTED"
	// KeyNotRSA means that the key is for another algorithm.
	KeyNotRSA KeyProblem = "NOT_RSA"
	// KeyPublicInsteadOfPrivate means that a public key was passed instead of the private key.
	KeyPublicInsteadOfPrivate KeyProblem = "PUBLIC_INSTEAD_OF_PRIVATE"
	// KeyPrivateInsteadOfPublic means that a private key, which must stay secret, was passed instead of the
	// public key.
	KeyPrivateInsteadOfPublic KeyProblem = "PRIVATE_INSTEAD_OF_PUBLIC"
	// KeyWrongSize means that the key has fewer than 2048 or more than 4096 bits.
	KeyWrongSize KeyProblem = "WRONG_SIZE"
)

// InvalidKeyError means that a key is unusable. No request was sent. It is also a ConfigurationError.
type InvalidKeyError struct {
	ConfigurationError
	// Reason is the problem with the key.
	Reason KeyProblem
}

// Unwrap lets errors.As find the ConfigurationError.
func (e *InvalidKeyError) Unwrap() error { return &e.ConfigurationError }

// keyError converts an error of the key parser to the exported type.
func keyError(err error) error {
	var invalid *keys.InvalidKey
	if errors.As(err, &invalid) {
		return &InvalidKeyError{ConfigurationError{Message: invalid.Message}, KeyProblem(invalid.Reason)}
	}
	return misconfigured("%s", err.Error())
}

// ConnectionError means that the gateway could not be reached, or the connection broke. Whether the request
// took effect is unknown.
type ConnectionError struct {
	CallFacts
	// Err is the error of the transport.
	Err error
}

// Error includes the error of the transport.
func (e *ConnectionError) Error() string {
	return fmt.Sprintf("The gateway could not be reached, or the connection broke: %v.", e.Err)
}

// Unwrap returns the error of the transport and ErrOutcomeUnknown.
func (e *ConnectionError) Unwrap() []error { return []error{e.Err, ErrOutcomeUnknown} }

// TimeoutError means that no response arrived in time. Whether the request took effect is unknown.
type TimeoutError struct {
	CallFacts
	// Message has the duration.
	Message string
}

// Error returns the Message.
func (e *TimeoutError) Error() string { return e.Message }

// Unwrap lets errors.Is find context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() []error { return []error{context.DeadlineExceeded, ErrOutcomeUnknown} }

// Timeout returns true, as net.Error requires.
func (e *TimeoutError) Timeout() bool { return true }

// CanceledError means that the caller's context was canceled. A request that was sent may have taken effect.
type CanceledError struct {
	CallFacts
	// Err is the cause of the cancellation.
	Err error
}

// Error includes the operation and the cause.
func (e *CanceledError) Error() string {
	return fmt.Sprintf("The call of %s was canceled: %v.", e.Operation, e.Err)
}

// Unwrap lets errors.Is find context.Canceled, and the cause.
func (e *CanceledError) Unwrap() []error { return []error{context.Canceled, e.Err, ErrOutcomeUnknown} }

// HTTPStatusError means that the response has an HTTP status other than 200, so it is not a result from the
// gateway.
type HTTPStatusError struct {
	CallFacts
	// Status is the HTTP status.
	Status int
	// Body is the beginning of the response body. It is not signed.
	Body string
}

// Error includes the status.
func (e *HTTPStatusError) Error() string {
	return fmt.Sprintf("The gateway answered with HTTP %d.", e.Status)
}

// Unwrap lets errors.Is find ErrOutcomeUnknown.
func (e *HTTPStatusError) Unwrap() error { return ErrOutcomeUnknown }

// SignatureProblem is the reason why a message is rejected.
type SignatureProblem string

// The reasons why a message is rejected, in the order of the checks.
const (
	// SignatureMissing means that the message has no signature.
	SignatureMissing SignatureProblem = "MISSING_SIGNATURE"
	// SignatureTimeMissing means that the message has a signature but no time.
	SignatureTimeMissing SignatureProblem = "MISSING_TIME"
	// SignatureMalformed means that the signature header is malformed.
	SignatureMalformed SignatureProblem = "MALFORMED_SIGNATURE"
	// SignatureUnsupportedAlgorithm means that the algorithm is not RSA256.
	SignatureUnsupportedAlgorithm SignatureProblem = "UNSUPPORTED_ALGORITHM"
	// SignatureUnknownKeyVersion means that the key version is not configured.
	SignatureUnknownKeyVersion SignatureProblem = "UNKNOWN_KEY_VERSION"
	// SignatureClientMismatch means that the message is for another client id.
	SignatureClientMismatch SignatureProblem = "CLIENT_MISMATCH"
	// SignatureMismatch means that the signature does not match.
	SignatureMismatch SignatureProblem = "MISMATCH"
	// SignatureBadTime means that the time is malformed.
	SignatureBadTime SignatureProblem = "BAD_TIME"
	// SignatureStale means that the time differs too much from the current time.
	SignatureStale SignatureProblem = "STALE"
	// SignatureOtherSubject means that the response is signed, but belongs to another request.
	SignatureOtherSubject SignatureProblem = "OTHER_SUBJECT"
	// SignatureBodyAlreadyParsed means that the body was read before, so its raw bytes are lost.
	SignatureBodyAlreadyParsed SignatureProblem = "BODY_ALREADY_PARSED"
)

// likelyCause returns the same text as every other library.
func (p SignatureProblem) likelyCause() string {
	switch p {
	case SignatureMissing:
		return "it has no signature. Does a proxy between you and the gateway send its own response?"
	case SignatureTimeMissing:
		return "it has a signature but no time."
	case SignatureMalformed:
		return "its signature header is malformed."
	case SignatureUnsupportedAlgorithm:
		return "its signature algorithm is not RSA256."
	case SignatureUnknownKeyVersion:
		return "its key version is not configured. Was the gateway's key rotated?"
	case SignatureClientMismatch:
		return "it is for another client id."
	case SignatureMismatch:
		return "the signature does not match. Usual causes: a wrong public key of the gateway, a wrong path, or a body " +
			"that was changed in transit or parsed and written again."
	case SignatureBadTime:
		return "its time is malformed."
	case SignatureStale:
		return "its time differs too much from your clock. Is your clock correct?"
	case SignatureOtherSubject:
		return "it is signed, but its id differs from the id in the request. Does a proxy between you and the gateway " +
			"send an old response (replay)?"
	case SignatureBodyAlreadyParsed:
		return "the body was already read. Pass its raw bytes: the signature covers them, and JSON that is written again " +
			"differs."
	}
	return "it failed verification."
}

// SignatureVerificationError means that the message may not be from the gateway. The outcome of the request
// is unknown.
type SignatureVerificationError struct {
	CallFacts
	// Reason is the check that failed.
	Reason SignatureProblem
}

// Error includes the likely cause.
func (e *SignatureVerificationError) Error() string {
	return fmt.Sprintf("The message failed verification: %s (%s)", e.Reason.likelyCause(), e.Reason)
}

// Unwrap lets errors.Is find ErrOutcomeUnknown.
func (e *SignatureVerificationError) Unwrap() error { return ErrOutcomeUnknown }

// MalformedResponseError means that the response was signed by the gateway, but is too long or is not JSON
// with a result.
type MalformedResponseError struct {
	CallFacts
	// Message describes the problem.
	Message string
}

// Error returns the Message.
func (e *MalformedResponseError) Error() string { return e.Message }

// Unwrap lets errors.Is find ErrOutcomeUnknown.
func (e *MalformedResponseError) Unwrap() error { return ErrOutcomeUnknown }

// ResultError means that the gateway rejected the request. errors.Is finds its kind: ErrDeclined, ErrNotFound
// and so on.
type ResultError struct {
	CallFacts
	// Code is the result code.
	Code ResultCode
	// Status is F, or U if a rate limit was exceeded.
	Status ResultStatus
	// ResultMessage is the gateway's message.
	ResultMessage string
	// Advice is the recommended action.
	Advice string
	// IsSigned is false for a rejection without a signature, which the gateway may send before it
	// authenticates the client.
	IsSigned bool
	// Raw is the complete response, as JSON.
	Raw json.RawMessage
	// kind is one of the kinds above; nil for an unknown code.
	kind error
	// said is the result in the response.
	said Result
}

// Error builds the error message. A sandbox response names the invalid field, the fix for this case, and a
// link. A live response has none of these, so its message has the general advice for the result code.
func (e *ResultError) Error() string {
	parts := []string{strings.TrimSpace(fmt.Sprintf("%s: %s", e.Code, e.ResultMessage))}
	hint := e.Advice
	if e.said.ResultHint != "" {
		hint = e.said.ResultHint
	}
	if hint != "" {
		parts = append(parts, hint)
	}
	if e.said.ResultField != "" {
		parts = append(parts, fmt.Sprintf("Field: %s.", e.said.ResultField))
	}
	if e.said.DocURL != "" {
		parts = append(parts, "See "+e.said.DocURL)
	}
	return strings.Join(parts, " ")
}

// Unwrap lets errors.Is find the kind of the rejection.
func (e *ResultError) Unwrap() error { return e.kind }

func resultError(result Result, raw []byte, isSigned bool, facts CallFacts) *ResultError {
	known := codeFactsOf(result.ResultCode)
	return &ResultError{
		CallFacts:     facts,
		Code:          result.ResultCode,
		Status:        result.ResultStatus,
		ResultMessage: result.ResultMessage,
		Advice:        known.advice,
		IsSigned:      isSigned,
		Raw:           raw,
		kind:          known.kind,
		said:          result,
	}
}

func timeout(what string, limit time.Duration, facts CallFacts) *TimeoutError {
	return &TimeoutError{CallFacts: facts, Message: fmt.Sprintf("%s within %d ms.", what, limit.Milliseconds())}
}
