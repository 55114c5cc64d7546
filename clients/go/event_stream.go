package tollgate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"tollgate.example/tollgate/internal/wire"
)

const (
	// silenceMax is the longest time without data: the gateway sends at least a heartbeat every 15 s.
	silenceMax = 45 * time.Second
	// streamLineBytesMax is the maximum size of a line, because a sender could otherwise fill the memory with
	// an endless line.
	streamLineBytesMax = 4 << 20
)

// listen streams events until the connection ends; the gateway ends it every 15 minutes.
func (r *reading) listen(ctx context.Context) error {
	caller := r.area.caller
	watched, stop := context.WithCancel(ctx)
	defer stop()
	watch := time.AfterFunc(silenceMax, stop)
	defer watch.Stop()
	follow := true
	request := InquiryEventsRequest{Cursor: r.cursor, Follow: &follow}
	prepared, err := caller.prepare(watched, feedOperation, request, callSettings{timeout: silenceMax})
	if err != nil {
		return err
	}
	signed, err := caller.signed(watched, prepared)
	if err != nil {
		return err
	}
	response, err := caller.transport.RoundTrip(signed)
	if err != nil {
		return r.brokenOff(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	// The gateway returns an error as a JSON response and not as a stream. The page request that follows
	// returns this error with all details.
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return r.brokenOff(ctx, errors.New("the gateway did not respond with a stream"))
	}
	return r.hear(ctx, response.Body, prepared.path, func() { watch.Reset(silenceMax) })
}

// hear parses server-sent events: blocks of lines "name: value", each with an empty line after it.
func (r *reading) hear(ctx context.Context, body io.Reader, path string, isThere func()) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, streamLineBytesMax)
	block := map[string]string{}
	for lines.Scan() {
		isThere()
		if line := lines.Text(); line != "" {
			name, value, _ := strings.Cut(line, ":")
			block[name] = strings.TrimPrefix(value, " ")
			continue
		}
		if _, isEvent := block["data"]; isEvent {
			event, err := r.verified(block, path)
			if err != nil {
				return err
			}
			if err := r.tell(event); err != nil {
				return err
			}
		}
		block = map[string]string{}
	}
	if err := lines.Err(); err != nil {
		return r.brokenOff(ctx, err)
	}
	return nil
}

func (r *reading) brokenOff(ctx context.Context, err error) error {
	facts := CallFacts{Operation: feedOperation}
	if ctx.Err() != nil {
		return outcome{facts: facts}.canceled(ctx).err
	}
	return &ConnectionError{CallFacts: facts, Err: err}
}

// verified verifies and reads an event, which is signed like a webhook to the operation's own path.
func (r *reading) verified(block map[string]string, path string) (*Event, error) {
	var data struct {
		RequestTime string `json:"requestTime"`
		Signature   string `json:"signature"`
		Body        string `json:"body"`
	}
	facts := CallFacts{Operation: feedOperation}
	if err := json.Unmarshal([]byte(block["data"]), &data); err != nil || block["id"] == "" {
		return nil, &MalformedResponseError{CallFacts: facts, Message: "An event of the stream is malformed."}
	}
	caller := r.area.caller
	header := http.Header{}
	for name, value := range map[string]string{"Signature": data.Signature, wire.RequestTime: data.RequestTime} {
		if value != "" {
			header.Set(name, value)
		}
	}
	message := wire.Received{
		Method: http.MethodPost, Path: path, ClientID: caller.clientID,
		TimeHeader: wire.RequestTime, Header: header, Body: []byte(data.Body),
	}
	verified, problem := wire.Verify(message, caller.gateway)
	if problem == "" {
		problem = wire.TimeProblem(verified.Time, caller.clock.Now(), caller.tolerance)
		if SignatureProblem(problem) == SignatureStale {
			// The event is too old, because the caller was busy for too long. The caller gets the event from
			// a page instead, which has a new signature.
			return nil, &ConnectionError{CallFacts: facts, Err: errors.New("the event was read too late: its signature is too old")}
		}
	}
	if problem != "" {
		return nil, &SignatureVerificationError{CallFacts: facts, Reason: SignatureProblem(problem)}
	}
	kind, body, news, err := readNotification([]byte(data.Body))
	if err != nil {
		return nil, err
	}
	return &Event{News: news, Cursor: block["id"], Kind: kind, Body: body}, nil
}
