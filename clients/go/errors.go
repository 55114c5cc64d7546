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

// CallFacts is what is known of a call. All of it is safe to log.
type CallFacts struct {
	// Operation is called like payments/pay.
	Operation string
	// RequestID is your own id of the request, such as its paymentRequestId: repeat the call with the same one.
	RequestID string
	// TraceID is the gateway's name for the call: tell it to support.
	TraceID string
	// Attempts says how often it was sent.
	Attempts int
}

// Facts gives what is known of the call.
func (f CallFacts) Facts() CallFacts { return f }

// GatewayError is every error that a call can end with: errors.As finds it.
type GatewayError interface {
	error
	// Facts gives what is known of the call that failed.
	Facts() CallFacts
}

// The kinds of refusals and faults, for errors.Is. An error of this library is one of its types below; these say what it means.
var (
	// ErrOutcomeUnknown says that nobody knows what became of the call: it may have happened. Repeat it with the same id, or inquire.
	ErrOutcomeUnknown = errors.New("the outcome is unknown")
	// ErrInvalidRequest says that the request has to be corrected.
	ErrInvalidRequest = errors.New("invalid request")
	// ErrAuthentication says that the gateway does not know who calls: client id, key or signature.
	ErrAuthentication = errors.New("not authenticated")
	// ErrPermission says that the gateway knows who calls, and does not allow it.
	ErrPermission = errors.New("not permitted")
	// ErrIdempotencyConflict says that the request id came before with other content.
	ErrIdempotencyConflict = errors.New("the request id came before with other content")
	// ErrRateLimit says that it was called too often, and that nothing was done.
	ErrRateLimit = errors.New("called too often")
	// ErrNotFound says that there is no such record.
	ErrNotFound = errors.New("not found")
	// ErrDeclined says that the buyer, the wallet or a rule of the payment says no.
	ErrDeclined = errors.New("declined")
	// ErrServer says that something broke at the gateway or behind it.
	ErrServer = errors.New("failed at the gateway")
)

// ConfigurationError says that the client or a call was put together wrongly; nothing was sent.
type ConfigurationError struct {
	CallFacts
	// Message says what to change.
	Message string
}

// Error says what to change.
func (e *ConfigurationError) Error() string { return e.Message }

func misconfigured(format string, values ...any) *ConfigurationError {
	return &ConfigurationError{Message: fmt.Sprintf(format, values...)}
}

// KeyProblem is what is wrong with a key.
type KeyProblem string

// What may be wrong with a key.
const (
	// KeyEmpty says that there is no text at all.
	KeyEmpty KeyProblem = "EMPTY"
	// KeyNotBase64 says that it is neither PEM nor base64.
	KeyNotBase64 KeyProblem = "NOT_BASE64"
	// KeyNotAKey says that it is no RSA key in a known form, or that it was cut off.
	KeyNotAKey KeyProblem = "NOT_A_KEY"
	// KeyEncrypted says that it is protected by a password.
	KeyEncrypted KeyProblem = "ENCRYPTED"
	// KeyNotRSA says that it is a key of another algorithm.
	KeyNotRSA KeyProblem = "NOT_RSA"
	// KeyPublicInsteadOfPrivate says that the wrong half was given.
	KeyPublicInsteadOfPrivate KeyProblem = "PUBLIC_INSTEAD_OF_PRIVATE"
	// KeyPrivateInsteadOfPublic says that the wrong half was given, and one that nobody else should see.
	KeyPrivateInsteadOfPublic KeyProblem = "PRIVATE_INSTEAD_OF_PUBLIC"
	// KeyWrongSize says that it has fewer than 2048 or more than 4096 bits.
	KeyWrongSize KeyProblem = "WRONG_SIZE"
)

// InvalidKeyError says that a key cannot be used; nothing was sent. It is a ConfigurationError as well.
type InvalidKeyError struct {
	ConfigurationError
	// Reason is what is wrong with it.
	Reason KeyProblem
}

// Unwrap lets errors.As find the ConfigurationError.
func (e *InvalidKeyError) Unwrap() error { return &e.ConfigurationError }

// keyError gives an error of reading a key the type that users know.
func keyError(err error) error {
	var invalid *keys.InvalidKey
	if errors.As(err, &invalid) {
		return &InvalidKeyError{ConfigurationError{Message: invalid.Message}, KeyProblem(invalid.Reason)}
	}
	return misconfigured("%s", err.Error())
}

// ConnectionError says that the gateway could not be reached, or the connection broke. Whether the call had an effect is unknown.
type ConnectionError struct {
	CallFacts
	// Err is what the transport said.
	Err error
}

// Error tells what the transport said.
func (e *ConnectionError) Error() string {
	return fmt.Sprintf("The gateway could not be reached, or the connection broke: %v.", e.Err)
}

// Unwrap gives what the transport said.
func (e *ConnectionError) Unwrap() []error { return []error{e.Err, ErrOutcomeUnknown} }

// TimeoutError says that there was no answer in time. Whether the call had an effect is unknown.
type TimeoutError struct {
	CallFacts
	// Message says how long it took.
	Message string
}

// Error says how long it took.
func (e *TimeoutError) Error() string { return e.Message }

// Unwrap lets errors.Is find context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() []error { return []error{context.DeadlineExceeded, ErrOutcomeUnknown} }

// Timeout is true, as net.Error has it.
func (e *TimeoutError) Timeout() bool { return true }

// CanceledError says that the caller's context was canceled. What was sent by then may have had an effect.
type CanceledError struct {
	CallFacts
	// Err is the cause of the cancellation.
	Err error
}

// Error names the call and the cause.
func (e *CanceledError) Error() string {
	return fmt.Sprintf("The call of %s was canceled: %v.", e.Operation, e.Err)
}

// Unwrap lets errors.Is find context.Canceled, and the cause.
func (e *CanceledError) Unwrap() []error { return []error{context.Canceled, e.Err, ErrOutcomeUnknown} }

// HTTPStatusError says that the answer had another HTTP status than 200, so it is not the gateway's word about the call.
type HTTPStatusError struct {
	CallFacts
	// Status is the HTTP status.
	Status int
	// Body is the beginning of what was answered. Nobody has signed it.
	Body string
}

// Error names the status.
func (e *HTTPStatusError) Error() string {
	return fmt.Sprintf("The gateway answered with HTTP %d.", e.Status)
}

// Unwrap lets errors.Is find ErrOutcomeUnknown.
func (e *HTTPStatusError) Unwrap() error { return ErrOutcomeUnknown }

// SignatureProblem is why a message cannot be trusted.
type SignatureProblem string

// Why a message cannot be trusted, in the order of the checks.
const (
	// SignatureMissing says that it carries no signature.
	SignatureMissing SignatureProblem = "MISSING_SIGNATURE"
	// SignatureTimeMissing says that it carries a signature but no time.
	SignatureTimeMissing SignatureProblem = "MISSING_TIME"
	// SignatureMalformed says that its signature header cannot be read.
	SignatureMalformed SignatureProblem = "MALFORMED_SIGNATURE"
	// SignatureUnsupportedAlgorithm says that it is signed with another algorithm than RSA256.
	SignatureUnsupportedAlgorithm SignatureProblem = "UNSUPPORTED_ALGORITHM"
	// SignatureUnknownKeyVersion says that it names a key version of the gateway that is not configured.
	SignatureUnknownKeyVersion SignatureProblem = "UNKNOWN_KEY_VERSION"
	// SignatureClientMismatch says that it is addressed to another client id.
	SignatureClientMismatch SignatureProblem = "CLIENT_MISMATCH"
	// SignatureMismatch says that the signature does not match.
	SignatureMismatch SignatureProblem = "MISMATCH"
	// SignatureBadTime says that its time cannot be read.
	SignatureBadTime SignatureProblem = "BAD_TIME"
	// SignatureStale says that its time is too far from now.
	SignatureStale SignatureProblem = "STALE"
	// SignatureOtherSubject says that it is signed, and answers another question.
	SignatureOtherSubject SignatureProblem = "OTHER_SUBJECT"
	// SignatureBodyAlreadyParsed says that somebody has read the body before, so that its bytes are gone.
	SignatureBodyAlreadyParsed SignatureProblem = "BODY_ALREADY_PARSED"
)

// likelyCause has the words of every library.
func (p SignatureProblem) likelyCause() string {
	switch p {
	case SignatureMissing:
		return "it carries no signature. Is something between you and the gateway answering in its place?"
	case SignatureTimeMissing:
		return "it carries a signature but no time."
	case SignatureMalformed:
		return "its signature header cannot be read."
	case SignatureUnsupportedAlgorithm:
		return "it is signed with another algorithm than RSA256."
	case SignatureUnknownKeyVersion:
		return "it names a key version of the gateway that you have not configured. Was its key rotated?"
	case SignatureClientMismatch:
		return "it is addressed to another client id."
	case SignatureMismatch:
		return "the signature does not match. Most often the gateway's public key is not the right one, the path is not the one " +
			"that was called, or the body was changed on the way or parsed and written again."
	case SignatureBadTime:
		return "its time cannot be read."
	case SignatureStale:
		return "its time is too far from now. Is your clock right?"
	case SignatureOtherSubject:
		return "it is signed, and answers another question: it names another id than the one that was asked about. Is something " +
			"between you and the gateway answering with what it kept?"
	case SignatureBodyAlreadyParsed:
		return "the body was read before. Hand over its raw bytes: a signature covers those, and JSON that was written again " +
			"is not the same."
	}
	return "it does not verify."
}

// SignatureVerificationError says that nobody can say that the message is the gateway's. Conclude nothing from it.
type SignatureVerificationError struct {
	CallFacts
	// Reason says which check failed.
	Reason SignatureProblem
}

// Error names the likely cause.
func (e *SignatureVerificationError) Error() string {
	return fmt.Sprintf("The message cannot be trusted: %s (%s)", e.Reason.likelyCause(), e.Reason)
}

// Unwrap lets errors.Is find ErrOutcomeUnknown.
func (e *SignatureVerificationError) Unwrap() error { return ErrOutcomeUnknown }

// MalformedResponseError says that it was signed by the gateway, but is not JSON with a result; or that it is too long.
type MalformedResponseError struct {
	CallFacts
	// Message says what is wrong.
	Message string
}

// Error says what is wrong.
func (e *MalformedResponseError) Error() string { return e.Message }

// Unwrap lets errors.Is find ErrOutcomeUnknown.
func (e *MalformedResponseError) Unwrap() error { return ErrOutcomeUnknown }

// ResultError says that the gateway said no. errors.Is tells the kind: ErrDeclined, ErrNotFound and so on.
type ResultError struct {
	CallFacts
	// Code is the result code.
	Code ResultCode
	// Status is F, or U of a call that was not begun.
	Status ResultStatus
	// ResultMessage is what the gateway says about it.
	ResultMessage string
	// Advice is what to do about it.
	Advice string
	// IsSigned is false for refusals from before the caller is known, which may come unsigned.
	IsSigned bool
	// Raw is the whole answer, as JSON.
	Raw json.RawMessage
	// kind is one of the kinds above; nil for a code that this version does not know.
	kind error
	// said is the result in the answer.
	said Result
}

// Error has all that helps: the sandbox names the field at fault, says what to do in this very case, and where to read more.
// Live says none of it, so there it is the code's general advice.
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

// Unwrap lets errors.Is find the kind of the refusal.
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
