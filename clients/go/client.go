package tollgate

import (
	"context"
	"encoding/json"
)

// Client calls the gateway. Its operations are grouped as in the interface: client.Payments.Pay. Make one and share it: it
// parses the keys once and keeps connections, and any number of goroutines may use it.
type Client struct {
	Areas
	// Webhooks verifies notifications.
	Webhooks *Webhooks
	caller   *caller
}

// noContext is for what is logged when there is no call.
var noContext = context.Background()

// New makes a client. What is not passed is read from the environment, so New() is enough where TOLLGATE_BASE_URL,
// TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY_FILE and TOLLGATE_GATEWAY_PUBLIC_KEY_FILE are set.
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

// Close gives up the connections that are not in use. A client that is not closed loses nothing.
func (c *Client) Close() {
	type closer interface{ CloseIdleConnections() }
	if transport, ok := c.caller.transport.(closer); ok {
		transport.CloseIdleConnections()
	}
}

// AnyAnswer is what an operation answers that was called by its path.
type AnyAnswer struct {
	// Result says whether it happened, and if not, why.
	Result Result `json:"result"`
	// Call is what is known of the call.
	Call CallFacts `json:"-"`
	// Extra has all other fields, by their names on the wire.
	Extra map[string]json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps what it does not know.
func (v *AnyAnswer) UnmarshalJSON(data []byte) error {
	return readObject(data, &v.Extra, func(name string) any {
		if name == "result" {
			return &v.Result
		}
		return nil
	})
}

// MarshalJSON writes what was read.
func (v AnyAnswer) MarshalJSON() ([]byte, error) {
	type plain AnyAnswer
	return writeObject(plain(v), v.Extra)
}

// IsSuccess says that it happened: S.
func (v *AnyAnswer) IsSuccess() bool { return v.Result.ResultStatus == ResultStatusS }

// IsPending says that nobody knows yet: U. Wait for the notification, or inquire.
func (v *AnyAnswer) IsPending() bool { return v.Result.ResultStatus == ResultStatusU }

// IsFailure says that it did not happen: F. Only with WithFailuresReturned.
func (v *AnyAnswer) IsFailure() bool { return v.Result.ResultStatus == ResultStatusF }

func (v *AnyAnswer) answered(facts CallFacts) { v.Call = facts }

// Request calls any operation by its path, such as payments/pay. The body is anything that is written as a JSON object. An
// operation that the library does not know is never repeated.
func (c *Client) Request(ctx context.Context, operation string, body any, options ...CallOption) (*AnyAnswer, error) {
	return call[AnyAnswer](ctx, c.caller, operation, body, options)
}
