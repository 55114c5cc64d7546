package tollgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"tollgate.example/tollgate/internal/wire"
)

// outcome is the outcome of one attempt, and whether a retry is allowed.
type outcome struct {
	facts CallFacts
	// result and body are set only if the response has a valid signature.
	result      Result
	body        []byte
	err         error
	isRetryable bool
	retryAfter  time.Duration
}

// name returns the name for the log: the result code, or the type of the error.
func (o outcome) name() string {
	if o.err != nil {
		return fmt.Sprintf("%T", o.err)
	}
	return string(o.result.ResultCode)
}

// canceled returns the outcome of a call whose context has ended.
func (o outcome) canceled(ctx context.Context) outcome {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return outcome{facts: o.facts, err: &TimeoutError{CallFacts: o.facts, Message: "The context's deadline has passed."}}
	}
	return outcome{facts: o.facts, err: &CanceledError{CallFacts: o.facts, Err: context.Cause(ctx)}}
}

// answerAgeMax is the maximum age of a response: it allows for network delay and clock skew.
const answerAgeMax = 10 * time.Minute

// read reads a response: the HTTP status first, then the signature, and only then the body.
func (c *caller) read(response received, prepared *prepared, facts CallFacts) outcome {
	facts.TraceID = response.header.Get("Request-Id")
	now := c.clock.Now()
	retryAfter := readRetryAfter(response.header.Get("Retry-After"), now)
	if response.status != http.StatusOK {
		return outcome{
			facts:       facts,
			err:         &HTTPStatusError{CallFacts: facts, Status: response.status, Body: beginningOf(response.body)},
			isRetryable: response.status == http.StatusTooManyRequests || response.status >= 500,
			retryAfter:  retryAfter,
		}
	}
	if int64(len(response.body)) > prepared.answerBytesMax {
		message := fmt.Sprintf("The gateway's response is longer than %d bytes.", prepared.answerBytesMax)
		return outcome{facts: facts, err: &MalformedResponseError{CallFacts: facts, Message: message}}
	}
	message := wire.Received{
		Method: http.MethodPost, Path: prepared.path, ClientID: c.clientID,
		TimeHeader: wire.ResponseTime, Header: response.header, Body: response.body,
	}
	verified, problem := wire.Verify(message, c.gateway)
	if problem != "" {
		if refusal, isOne := c.unsigned(response, facts); isOne {
			refusal.retryAfter = retryAfter
			return refusal
		}
		return untrusted(SignatureProblem(problem), facts)
	}
	if late := wire.TimeProblem(verified.Time, now, answerAgeMax); late != "" {
		return untrusted(SignatureProblem(late), facts)
	}
	ended := signedOutcome(response.body, facts, prepared.subject)
	ended.retryAfter = retryAfter
	return ended
}

func untrusted(problem SignatureProblem, facts CallFacts) outcome {
	return outcome{facts: facts, err: &SignatureVerificationError{CallFacts: facts, Reason: problem}}
}

func signedOutcome(data []byte, facts CallFacts, subject map[string]string) outcome {
	body, fields, result, isWhole := bodyIn(data)
	if !isWhole {
		message := "The gateway's response is not JSON with a `result`."
		return outcome{facts: facts, err: &MalformedResponseError{CallFacts: facts, Message: message}}
	}
	if isAboutOther(fields, subject) {
		return untrusted(SignatureOtherSubject, facts)
	}
	isUnknown := result.ResultStatus == ResultStatusU
	code := codeFactsOf(result.ResultCode)
	// A rate-limited request had no effect, so its outcome is known.
	if isUnknown && code.kind == ErrRateLimit {
		return outcome{facts: facts, err: resultError(result, body, true, facts), isRetryable: code.isRetryable}
	}
	return outcome{facts: facts, result: result, body: body, isRetryable: isUnknown && code.isRetryable}
}

// isAboutOther reports whether a response has another id than the request. The signature covers path, client,
// time and body, but not the request. Only the ids show which request a response belongs to. An attacker
// could otherwise replay a signed response about another payment.
func isAboutOther(fields map[string]json.RawMessage, subject map[string]string) bool {
	for name, id := range subject {
		answered, isThere := fields[name]
		if !isThere {
			continue
		}
		var text string
		if json.Unmarshal(answered, &text) != nil || text != id {
			return true
		}
	}
	return false
}

// unsigned reads an unsigned response: the gateway may send it before it authenticates the client. An
// unsigned response never contains information about money.
func (c *caller) unsigned(response received, facts CallFacts) (outcome, bool) {
	isUnsigned := len(response.header.Values("Signature")) == 0 && len(response.header.Values(wire.ResponseTime)) == 0
	if !isUnsigned || c.signedOnly {
		return outcome{}, false
	}
	body, _, result, isWhole := bodyIn(response.body)
	code := codeFactsOf(result.ResultCode)
	if !isWhole || !code.mayBeUnsigned || result.ResultStatus == ResultStatusS {
		return outcome{}, false
	}
	return outcome{facts: facts, err: resultError(result, body, false, facts), isRetryable: code.isRetryable}, true
}

// bodyIn reads a JSON object whose result has a code and status S, F or U.
func bodyIn(data []byte) (body []byte, fields map[string]json.RawMessage, result Result, isWhole bool) {
	if !utf8.Valid(data) || !json.Valid(data) {
		return nil, nil, Result{}, false
	}
	body, err := withoutNulls(data)
	if err != nil || json.Unmarshal(body, &fields) != nil || fields["result"] == nil {
		return nil, nil, Result{}, false
	}
	if result.UnmarshalJSON(fields["result"]) != nil || result.ResultCode == "" {
		return nil, nil, Result{}, false
	}
	switch result.ResultStatus {
	case ResultStatusS, ResultStatusF, ResultStatusU:
		return body, fields, result, true
	}
	return nil, nil, Result{}, false
}

func beginningOf(body []byte) string {
	if !utf8.Valid(body) {
		return ""
	}
	text := []rune(string(body[:min(len(body), 8_000)]))
	return string(text[:min(len(text), 2_000)])
}
