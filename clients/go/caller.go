package tollgate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tollgate.example/tollgate/internal/wire"
)

// caller serialises the body once. Then it signs, sends, verifies and reads, and retries if that is useful
// and safe.
type caller struct{ *settings }

// prepared is one call of one operation: the parts that are equal in all of its attempts.
type prepared struct {
	path    string
	body    []byte
	headers map[string]string
	facts   CallFacts
	timeout time.Duration
	// until is the deadline, as a time of the client's clock. No attempt starts after it. It is zero if there
	// is no deadline.
	until          time.Time
	retriesMax     int
	answerBytesMax int64
	// subject has the ids in the request. A response with one of these fields must have the same value.
	subject map[string]string
}

const (
	answerBytesMaxUsual = 2 << 20
	// answerBytesMaxEvidence is the larger limit for the response that contains a file.
	answerBytesMaxEvidence = 4 << 20
)

// answerOf is a pointer to the type of a response.
type answerOf[Answer any] interface {
	*Answer
	json.Unmarshaler
	answered(CallFacts)
}

func call[Answer any, Pointer answerOf[Answer]](
	ctx context.Context, c *caller, operation string, request any, options []CallOption,
) (*Answer, error) {
	settings := callSettings{timeout: c.timeout, maxRetries: c.maxRetries}
	for _, each := range options {
		if each != nil {
			each.applyToCall(&settings)
		}
	}
	prepared, err := c.prepare(ctx, operation, request, settings)
	if err != nil {
		return nil, err
	}
	ctx, tell := c.observe(ctx, prepared.facts)
	ended := c.repeat(ctx, prepared)
	err = ended.err
	if err == nil && ended.result.ResultStatus == ResultStatusF && !settings.returnsFailures {
		err = resultError(ended.result, ended.body, true, ended.facts)
	}
	tell(ended, err)
	if err != nil {
		return nil, err
	}
	answer := Pointer(new(Answer))
	if err := answer.UnmarshalJSON(ended.body); err != nil {
		message := fmt.Sprintf("The gateway's response has a field of a wrong type: %v.", err)
		return nil, &MalformedResponseError{CallFacts: ended.facts, Message: message}
	}
	answer.answered(ended.facts)
	return (*Answer)(answer), nil
}

func (c *caller) repeat(ctx context.Context, prepared *prepared) outcome {
	if c.log.logsRequests(ctx) {
		body := slog.String("body", string(redactedJSON(prepared.body)))
		c.log.tell(ctx, slog.LevelDebug, "request", prepared.facts, body)
	}
	for retries := 0; ; retries++ {
		ended := c.attempt(ctx, prepared, retries+1)
		if !ended.isRetryable || retries >= prepared.retriesMax {
			return ended
		}
		delay, isPatient := retryDelay(retries, ended.retryAfter)
		if !isPatient || (!prepared.until.IsZero() && !c.clock.Now().Add(delay).Before(prepared.until)) {
			return ended
		}
		c.log.tell(ctx, slog.LevelDebug, "retry", ended.facts, slog.Duration("delay", delay), slog.String("outcome", ended.name()))
		if c.clock.Sleep(ctx, delay) != nil {
			return ended.canceled(ctx)
		}
	}
}

func (c *caller) attempt(ctx context.Context, prepared *prepared, number int) outcome {
	started := c.clock.Now()
	facts := prepared.facts
	facts.Attempts = number
	ended := c.send(ctx, prepared, facts)
	took := slog.Duration("duration", c.clock.Now().Sub(started))
	c.log.tell(ctx, slog.LevelDebug, "response", ended.facts, took, slog.String("outcome", ended.name()))
	return ended
}

func (c *caller) send(ctx context.Context, prepared *prepared, facts CallFacts) outcome {
	limit := prepared.timeout
	if !prepared.until.IsZero() {
		limit = max(time.Millisecond, min(limit, prepared.until.Sub(c.clock.Now())))
	}
	limited, stop := context.WithTimeout(ctx, limit)
	defer stop()
	request, err := c.signed(limited, prepared)
	if err != nil {
		return outcome{facts: facts, err: err}
	}
	response, err := c.transmit(request, prepared.answerBytesMax)
	if err == nil {
		return c.read(response, prepared, facts)
	}
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled) || (ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded)):
		return outcome{facts: facts}.canceled(ctx)
	case limited.Err() != nil:
		err = timeout("The gateway did not answer", limit, facts)
	default:
		err = &ConnectionError{CallFacts: facts, Err: err}
	}
	return outcome{facts: facts, err: err, isRetryable: ctx.Err() == nil}
}

// signed creates the request of one attempt: each attempt has a new time, and so a new signature.
func (c *caller) signed(ctx context.Context, prepared *prepared) (*http.Request, error) {
	at := strconv.FormatInt(c.clock.Now().UnixMilli(), 10)
	signature, err := c.sign(wire.SignedText(http.MethodPost, prepared.path, c.clientID, at, prepared.body))
	if err != nil {
		return nil, &ConfigurationError{CallFacts: prepared.facts, Message: fmt.Sprintf("The request cannot be signed: %v.", err)}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.baseURL+prepared.path, bytes.NewReader(prepared.body))
	if err != nil {
		return nil, &ConfigurationError{CallFacts: prepared.facts, Message: err.Error()}
	}
	for name, value := range prepared.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json; charset=UTF-8")
	request.Header.Set("Client-Id", c.clientID)
	request.Header.Set("Request-Time", at)
	request.Header.Set("Signature", wire.WriteSignatureHeader(c.keyVersion, signature))
	return request, nil
}

// received is a complete response that is not verified yet.
type received struct {
	status int
	header http.Header
	body   []byte
}

// transmit sends once and does not follow redirects. It limits the size of a response: an endless response
// could otherwise fill the memory before its signature is verified.
func (c *caller) transmit(request *http.Request, bytesMax int64) (received, error) {
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return received{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, bytesMax+1))
	if err != nil {
		return received{}, err
	}
	return received{response.StatusCode, response.Header, body}, nil
}

var operationForm = regexp.MustCompile(`^[A-Za-z0-9]+(?:/[A-Za-z0-9]+)+$`)

func (c *caller) prepare(ctx context.Context, operation string, request any, settings callSettings) (*prepared, error) {
	if !operationForm.MatchString(operation) {
		return nil, misconfigured("The operation must be a path such as payments/pay, not %s.", operation)
	}
	err := errors.Join(checkedTimeout(settings.timeout), checkedRetries(settings.maxRetries), checkedHeaders(settings.headers))
	if err != nil {
		return nil, &ConfigurationError{CallFacts{Operation: operation}, err.Error()}
	}
	body, fields, err := serialised(request)
	if err != nil {
		return nil, &ConfigurationError{CallFacts{Operation: operation}, err.Error()}
	}
	known := operationFactsOf(operation)
	facts := CallFacts{Operation: operation, RequestID: requestIDIn(fields, known.idempotencyField)}
	if ctx.Err() != nil {
		return nil, outcome{facts: facts}.canceled(ctx).err
	}
	ready := &prepared{
		path:           "/ams/api/v1/" + operation,
		body:           body,
		headers:        merged(c.headers, settings.headers),
		facts:          facts,
		timeout:        settings.timeout,
		until:          c.deadlineOf(ctx),
		answerBytesMax: answerBytesMaxUsual,
		subject:        idsIn(fields),
	}
	if c.isSandbox {
		ready.path = "/ams/sandbox/api/v1/" + operation
	}
	if known.isRepeatable {
		ready.retriesMax = settings.maxRetries
	}
	if operation == "payments/downloadDisputeEvidence" {
		ready.answerBytesMax = answerBytesMaxEvidence
	}
	return ready, nil
}

// deadlineOf returns the context's deadline on the client's own clock, which may be a fake.
func (c *caller) deadlineOf(ctx context.Context) time.Time {
	deadline, isThere := ctx.Deadline()
	if !isThere {
		return time.Time{}
	}
	return c.clock.Now().Add(time.Until(deadline))
}

func merged(one, other map[string]string) map[string]string {
	all := make(map[string]string, len(one)+len(other))
	for _, headers := range []map[string]string{one, other} {
		for name, value := range headers {
			all[name] = value
		}
	}
	return all
}

// field is a top-level text field of a request, in wire order.
type field struct {
	name   string
	text   string
	isText bool
}

// serialised returns the bytes that every attempt signs and sends, and their top-level fields.
func serialised(request any) ([]byte, []field, error) {
	body, err := writeJSON(request)
	if err != nil {
		return nil, nil, misconfigured("The request cannot be written as JSON: %v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	opening, err := decoder.Token()
	if err != nil || opening != json.Delim('{') {
		return nil, nil, misconfigured("The request must be a JSON object.")
	}
	var fields []field
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, nil, err
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, nil, err
		}
		text, isText := value.(string)
		fields = append(fields, field{fmt.Sprint(name), text, isText})
	}
	return body, fields, nil
}

func idsIn(fields []field) map[string]string {
	ids := map[string]string{}
	for _, each := range fields {
		if each.isText && strings.HasSuffix(each.name, "Id") {
			ids[each.name] = each.text
		}
	}
	return ids
}

// requestIDIn returns the merchant's id of the request: the idempotency key, or else the first id in the
// request. It is never a token.
func requestIDIn(fields []field, idempotencyField string) string {
	isNamed := []func(name string) bool{
		func(name string) bool { return name == idempotencyField },
		func(name string) bool { return strings.HasSuffix(name, "RequestId") },
		func(name string) bool { return strings.HasSuffix(name, "Id") },
	}
	for _, isIt := range isNamed {
		for _, each := range fields {
			if isIt(each.name) && !isSecret(each.name) {
				return each.text
			}
		}
	}
	return ""
}
