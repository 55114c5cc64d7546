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

// Webhooks verifies notifications. A client has one; NewWebhooks makes one for a service that has no key to sign with.
type Webhooks struct {
	clientID  string
	gateway   wire.GatewayKeys
	clock     Clock
	tolerance time.Duration
	bytesMax  int64
	log       log
}

// Incoming is a request that came to the merchant's endpoint.
type Incoming struct {
	// Method is POST unless said otherwise.
	Method string
	// Path is path and query, as they were called.
	Path string
	// Header has the headers as they came.
	Header http.Header
	// Body has the raw bytes; never those of JSON that was written again.
	Body []byte
}

// News says what a notification or an event is about, for ApplyOnce.
type News struct {
	// Subject is the record that it tells of.
	Subject string
	// Sequence says which of the record's changes: a higher one is newer.
	Sequence int64
}

// Notification is one whose signature holds. A type switch over its body tells what it is.
type Notification struct {
	News
	// Kind is that of the interface, such as notifyPayment; KindUnknown is one that this version of the library has no type for.
	Kind NotificationKind
	// Body is what was told, such as a *PaymentNotification; or an *UnknownNotification.
	Body NotificationBody
	// ReplayKey is the same only if the very same message comes again. Every attempt of the gateway has a new one.
	ReplayKey string
	// Time is the text of its time header.
	Time string
}

// NotificationBody is what was told, such as a *PaymentNotification. There may be more of them in a later version.
type NotificationBody interface {
	// NotificationKind is the kind that such a body has.
	NotificationKind() NotificationKind
}

// KindUnknown is a notification that this version of the library has no type for.
const KindUnknown NotificationKind = "unknown"

// UnknownNotification is one that this version of the library has no type for.
type UnknownNotification struct {
	// Fields has all of it, by the names on the wire.
	Fields map[string]json.RawMessage
}

// NotificationKind is KindUnknown.
func (*UnknownNotification) NotificationKind() NotificationKind { return KindUnknown }

// NewWebhooks makes what a service needs that only receives: a client id and the gateway's public keys, passed or from the
// environment, and no key to sign with.
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

// Construct verifies a notification, and only then reads it.
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

// ConstructRequest verifies and reads the notification that a request carries. Nobody may have read its body before.
func (w *Webhooks) ConstructRequest(request *http.Request) (*Notification, error) {
	body, err := io.ReadAll(io.LimitReader(request.Body, w.bytesMax+1))
	if err != nil {
		return nil, &ConnectionError{Err: err}
	}
	if int64(len(body)) > w.bytesMax {
		return nil, &MalformedResponseError{Message: "The notification is too long to be one."}
	}
	if len(body) == 0 && request.ContentLength > 0 {
		return nil, &SignatureVerificationError{Reason: SignatureBodyAlreadyParsed}
	}
	return w.Construct(Incoming{Method: request.Method, Path: calledPath(request), Header: request.Header, Body: body})
}

// calledPath is what the request line carried: routers change the URL, and a signature covers what was called.
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

// Ack is the exact body that says that a notification was taken. Send it with HTTP 200 and as JSON.
func (w *Webhooks) Ack() string {
	return `{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}`
}

// Handler takes notifications: it verifies, calls apply, and acknowledges. A forgery is answered 401, and apply does not see it.
// When apply fails, the answer is 500, and the gateway comes again.
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
			// Anything but the acknowledgement makes the gateway come again.
			what := []slog.Attr{slog.String("subject", notification.Subject), slog.String("error", err.Error())}
			w.log.tell(request.Context(), slog.LevelError, "notification not applied", CallFacts{}, what...)
			writer.WriteHeader(http.StatusInternalServerError)
			return
		}
		writer.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(writer, w.Ack())
	})
}

// readNotification reads a body. One that names no record is its own subject: the gateway sends the same bytes in every attempt.
func readNotification(data []byte) (NotificationKind, NotificationBody, News, error) {
	malformed := &MalformedResponseError{Message: "The notification is signed, but it is not a JSON object."}
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
		message := "The notification has a field of another type than the interface says: " + err.Error()
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

// notificationFacts is how a kind of notification is told apart.
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
