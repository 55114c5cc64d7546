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

// caller serialises once; then signs, sends, verifies and reads, and does that again while it makes sense.
type caller struct{ *settings }

// prepared is one call of one operation, and what is the same in all of its attempts.
type prepared struct {
	path    string
	body    []byte
	headers map[string]string
	facts   CallFacts
	timeout time.Duration
	// until is by the clock: nothing is begun any more from then on. It is zero where there is no deadline.
	until          time.Time
	retriesMax     int
	answerBytesMax int64
	// subject is what is asked about: an answer that names one of these ids has to name the same.
	subject map[string]string
}

const (
	answerBytesMaxUsual = 2 << 20
	// answerBytesMaxEvidence is for the one answer that carries a file.
	answerBytesMaxEvidence = 4 << 20
)

// answerOf is a pointer to the type of an answer.
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
		message := fmt.Sprintf("The gateway's answer has a field of another type than the interface says: %v.", err)
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

// signed makes the request of one attempt: the time is new in every one, and so is the signature.
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

// received is a whole answer, which nobody has verified yet.
type received struct {
	status int
	header http.Header
	body   []byte
}

// transmit sends once and follows no redirect. Whoever answers without end, before anybody can know who it is, must not fill the
// memory.
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
		return nil, misconfigured("An operation is called like payments/pay, and not like %s.", operation)
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

// deadlineOf is the context's deadline on the client's own clock, which may be a fake one.
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

// field is a text at the top of a request, in the order of the wire.
type field struct {
	name   string
	text   string
	isText bool
}

// serialised gives the bytes that are signed and sent, in every attempt, and the fields at the top of them.
func serialised(request any) ([]byte, []field, error) {
	body, err := writeJSON(request)
	if err != nil {
		return nil, nil, misconfigured("The request cannot be written as JSON: %v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	opening, err := decoder.Token()
	if err != nil || opening != json.Delim('{') {
		return nil, nil, misconfigured("The request has to be a JSON object.")
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

// requestIDIn is the id by which the merchant knows the request: what makes it the same one, or the first id that it names. No token.
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
