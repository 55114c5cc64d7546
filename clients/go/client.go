package tollgate

import (
	"context"
	"encoding/json"
)

// Client calls the gateway. Its operations are grouped by area as in the API: client.Payments.Pay. Create one
// and share it: it parses the keys once and keeps connections alive, and any number of goroutines may use it.
type Client struct {
	Areas
	// Webhooks verifies webhooks.
	Webhooks *Webhooks
	caller   *caller
}

// noContext is for log entries outside a call.
var noContext = context.Background()

// New creates a client. Missing options are read from environment variables, so New() is enough if
// TOLLGATE_BASE_URL, TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY_FILE and TOLLGATE_GATEWAY_PUBLIC_KEY_FILE are
// set.
func New(options ...Option) (*Client, error) {
	given := givenBy(options)
	settings, err := settingsOf(given)
	if err != nil {
		return nil, err
	}
	webhooks, err := webhooksOf(given, settings.clientID, settings.gateway)
	if err != nil {
		return nil, err
	}
	caller := &caller{settings}
	return &Client{Areas: areasOf(caller), Webhooks: webhooks, caller: caller}, nil
}

// Close closes idle connections. Closing a client is optional.
func (c *Client) Close() {
	type closer interface{ CloseIdleConnections() }
	if transport, ok := c.caller.transport.(closer); ok {
		transport.CloseIdleConnections()
	}
}

// AnyAnswer is the response of an operation that was called by its path.
type AnyAnswer struct {
	// Result is the result of the request: status, code and message.
	Result Result `json:"result"`
	// Call has the facts about the API request.
	Call CallFacts `json:"-"`
	// Extra has all other fields, by wire name.
	Extra map[string]json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps unknown fields in Extra.
func (v *AnyAnswer) UnmarshalJSON(data []byte) error {
	return readObject(data, &v.Extra, func(name string) any {
		if name == "result" {
			return &v.Result
		}
		return nil
	})
}

// MarshalJSON writes the fields that were read.
func (v AnyAnswer) MarshalJSON() ([]byte, error) {
	type plain AnyAnswer
	return writeObject(plain(v), v.Extra)
}

// IsSuccess reports whether the result status is S: success.
func (v *AnyAnswer) IsSuccess() bool { return v.Result.ResultStatus == ResultStatusS }

// IsPending reports whether the result status is U: the outcome is unknown. Wait for the webhook, or inquire.
func (v *AnyAnswer) IsPending() bool { return v.Result.ResultStatus == ResultStatusU }

// IsFailure reports whether the result status is F: final failure. It can be true only with
// WithFailuresReturned.
func (v *AnyAnswer) IsFailure() bool { return v.Result.ResultStatus == ResultStatusF }

func (v *AnyAnswer) answered(facts CallFacts) { v.Call = facts }

// Request calls any operation by its path, such as payments/pay. The body is any value that is written as a
// JSON object. An operation that the library does not know is never retried.
func (c *Client) Request(ctx context.Context, operation string, body any, options ...CallOption) (*AnyAnswer, error) {
	return call[AnyAnswer](ctx, c.caller, operation, body, options)
}
