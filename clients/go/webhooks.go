package tollgate

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tollgate.example/tollgate/internal/wire"
)

// Webhooks verifies webhooks. A client has one; NewWebhooks creates one for a service without a private key.
type Webhooks struct {
	clientID  string
	gateway   wire.GatewayKeys
	clock     Clock
	tolerance time.Duration
	bytesMax  int64
	log       log
}

// Incoming is a request to the merchant's webhook endpoint.
type Incoming struct {
	// Method is the HTTP method (default POST).
	Method string
	// Path is the path and query of the request.
	Path string
	// Header has the received headers.
	Header http.Header
	// Body has the raw bytes; never the bytes of JSON that was written again.
	Body []byte
}

// News has the record and the change that a webhook or event is about, for ApplyOnce.
type News struct {
	// Subject is the record that changed.
	Subject string
	// Sequence is the number of the record's change: a higher number is newer.
	Sequence int64
}

// Notification is a webhook with a valid signature. Use a type switch on its body.
type Notification struct {
	News
	// Kind is the kind of webhook, such as notifyPayment; KindUnknown if this version of the library has no
	// type for it.
	Kind NotificationKind
	// Body is the body of the webhook, such as a *PaymentNotification; or an *UnknownNotification.
	Body NotificationBody
	// ReplayKey is a key that two messages share only if exactly the same message arrives again (replay).
	// Each delivery attempt of the gateway has a new key.
	ReplayKey string
	// Time is the text of the message's time header.
	Time string
}

// NotificationBody is the body of a webhook, such as a *PaymentNotification. A later version may add other
// types.
type NotificationBody interface {
	// NotificationKind returns the kind of webhook that has such a body.
	NotificationKind() NotificationKind
}

// KindUnknown is the kind of a webhook that this version of the library has no type for.
const KindUnknown NotificationKind = "unknown"

// UnknownNotification is a webhook that this version of the library has no type for.
type UnknownNotification struct {
	// Fields has all fields, by wire name.
	Fields map[string]json.RawMessage
}

// NotificationKind returns KindUnknown.
func (*UnknownNotification) NotificationKind() NotificationKind { return KindUnknown }

// NewWebhooks creates a receiver for a service that only receives webhooks. It needs a client id and the
// gateway's public keys, passed or from the environment, and no private key.
func NewWebhooks(options ...Option) (*Webhooks, error) {
	given := givenBy(options)
	clientID, err := clientIDOf(given)
	if err != nil {
		return nil, err
	}
	gateway, err := gatewayKeysOf(given, (*rsa.PublicKey)(nil))
	if err != nil {
		return nil, err
	}
	return webhooksOf(given, clientID, gateway)
}

func webhooksOf(given *given, clientID string, gateway wire.GatewayKeys) (*Webhooks, error) {
	if given.webhookTolerance < 0 {
		return nil, misconfigured("The tolerance for webhooks must not be less than 0.")
	}
	return &Webhooks{clientID, gateway, given.clock, given.webhookTolerance, given.notificationBytes, log{given.logger}}, nil
}

// Construct verifies a webhook, and only then parses it.
func (w *Webhooks) Construct(incoming Incoming) (*Notification, error) {
	method := incoming.Method
	if method == "" {
		method = http.MethodPost
	}
	message := wire.Received{
		Method: method, Path: incoming.Path, ClientID: w.clientID,
		TimeHeader: wire.RequestTime, Header: incoming.Header, Body: incoming.Body,
	}
	verified, problem := wire.Verify(message, w.gateway)
	if problem == "" {
		problem = wire.TimeProblem(verified.Time, w.clock.Now(), w.tolerance)
	}
	if problem != "" {
		return nil, &SignatureVerificationError{Reason: SignatureProblem(problem)}
	}
	kind, body, news, err := readNotification(incoming.Body)
	if err != nil {
		return nil, err
	}
	return &Notification{News: news, Kind: kind, Body: body, ReplayKey: verified.ReplayKey, Time: verified.Time}, nil
}

// ConstructRequest verifies and parses the webhook in an HTTP request, whose body must not have been read
// before.
func (w *Webhooks) ConstructRequest(request *http.Request) (*Notification, error) {
	body, err := io.ReadAll(io.LimitReader(request.Body, w.bytesMax+1))
	if err != nil {
		return nil, &ConnectionError{Err: err}
	}
	if int64(len(body)) > w.bytesMax {
		return nil, &MalformedResponseError{Message: "The webhook body is too long."}
	}
	if len(body) == 0 && request.ContentLength > 0 {
		return nil, &SignatureVerificationError{Reason: SignatureBodyAlreadyParsed}
	}
	return w.Construct(Incoming{Method: request.Method, Path: calledPath(request), Header: request.Header, Body: body})
}

// calledPath returns the path of the request line: routers change the URL, but the signature covers the
// original path.
func calledPath(request *http.Request) string {
	path := request.RequestURI
	if path == "" {
		return request.URL.RequestURI()
	}
	if _, rest, isAbsolute := strings.Cut(path, "://"); isAbsolute && !strings.HasPrefix(path, "/") {
		_, path, _ = strings.Cut(rest, "/")
		return "/" + path
	}
	return path
}

// Ack returns the exact body that acknowledges a webhook. Send it with HTTP 200 and as JSON.
func (w *Webhooks) Ack() string {
	return `{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}`
}

// Handler receives webhooks: it verifies, calls apply, and acknowledges. For an invalid signature it responds
// with 401 and does not call apply. If apply fails, it responds with 500, and the gateway sends the webhook
// again.
func (w *Webhooks) Handler(apply func(context.Context, *Notification) error) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if request.Method != http.MethodPost {
			writer.Header().Set("Allow", http.MethodPost)
			writer.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		notification, err := w.ConstructRequest(request)
		if err != nil {
			w.log.tell(request.Context(), slog.LevelWarn, "notification refused", CallFacts{}, slog.String("reason", err.Error()))
			writer.WriteHeader(http.StatusUnauthorized)
			return
		}
		if err := apply(request.Context(), notification); err != nil {
			// Any response but the acknowledgement makes the gateway send the webhook again.
			what := []slog.Attr{slog.String("subject", notification.Subject), slog.String("error", err.Error())}
			w.log.tell(request.Context(), slog.LevelError, "webhook not applied", CallFacts{}, what...)
			writer.WriteHeader(http.StatusInternalServerError)
			return
		}
		writer.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(writer, w.Ack())
	})
}

// readNotification reads a body. A webhook without a record id is its own subject, because the gateway sends
// the same bytes in every attempt.
func readNotification(data []byte) (NotificationKind, NotificationBody, News, error) {
	malformed := &MalformedResponseError{Message: "The webhook is signed, but it is not a JSON object."}
	if !utf8.Valid(data) || !json.Valid(data) {
		return "", nil, News{}, malformed
	}
	plain, err := withoutNulls(data)
	var fields map[string]json.RawMessage
	if err != nil || json.Unmarshal(plain, &fields) != nil || fields == nil {
		return "", nil, News{}, malformed
	}
	facts := notificationFactsIn(fields)
	body := facts.newBody()
	if unknown, isUnknown := body.(*UnknownNotification); isUnknown {
		unknown.Fields = fields
	} else if err := json.Unmarshal(plain, body); err != nil {
		message := "The webhook has a field of a wrong type: " + err.Error()
		return "", nil, News{}, &MalformedResponseError{Message: message}
	}
	record := textIn(fields, facts.subjectField)
	if record == "" {
		digest := sha256.Sum256(data)
		record = hex.EncodeToString(digest[:])
	}
	var sequence int64
	if json.Unmarshal(fields["sequence"], &sequence) != nil {
		sequence = 0
	}
	return facts.kind, body, News{Subject: string(facts.kind) + " " + record, Sequence: sequence}, nil
}

func textIn(fields map[string]json.RawMessage, name string) string {
	var text string
	if json.Unmarshal(fields[name], &text) != nil {
		return ""
	}
	return text
}

// notificationFacts has the fields that identify a kind of webhook.
type notificationFacts struct {
	kind           NotificationKind
	notifyTypes    []string
	requiredFields []string
	subjectField   string
	newBody        func() NotificationBody
}

func notificationFactsIn(fields map[string]json.RawMessage) notificationFacts {
	notifyType, hasType := "", json.Unmarshal(fields["notifyType"], new(string)) == nil
	if hasType {
		notifyType = textIn(fields, "notifyType")
	}
	for _, facts := range knownNotifications() {
		if hasType && slices.Contains(facts.notifyTypes, notifyType) {
			return facts
		}
		if !hasType && len(facts.notifyTypes) == 0 && hasAll(fields, facts.requiredFields) {
			return facts
		}
	}
	return notificationFacts{kind: KindUnknown, newBody: func() NotificationBody { return &UnknownNotification{} }}
}

func hasAll(fields map[string]json.RawMessage, names []string) bool {
	for _, name := range names {
		if _, isThere := fields[name]; !isThere {
			return false
		}
	}
	return true
}
