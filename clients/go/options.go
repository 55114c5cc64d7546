package tollgate

import (
	"crypto"
	"log/slog"
	"net/http"
	"time"
)

// Option is a setting of a client. What is left out is read from the environment: TOLLGATE_CLIENT_ID and so on.
type Option interface{ applyTo(*given) }

// CallOption is a setting of one call.
type CallOption interface{ applyToCall(*callSettings) }

// SharedOption is a setting of a client, or of one call.
type SharedOption interface {
	Option
	CallOption
}

// Environment is where payments are real, or are not.
type Environment string

// The environments.
const (
	// Sandbox is for tests: no money moves.
	Sandbox Environment = "sandbox"
	// Live is where money moves.
	Live Environment = "live"
)

type option func(*given)

func (o option) applyTo(settings *given) { o(settings) }

type callOption func(*callSettings)

func (o callOption) applyToCall(settings *callSettings) { o(settings) }

type sharedOption struct {
	option
	callOption
}

// given is what was passed; nil is what was not.
type given struct {
	clientID          *string
	privateKey        *string
	signer            crypto.Signer
	gatewayKey        *string
	gatewayKeys       map[int]string
	baseURL           *string
	keyVersion        *int
	environment       *Environment
	timeout           time.Duration
	maxRetries        int
	transport         http.RoundTripper
	logger            *slog.Logger
	observer          Observer
	clock             Clock
	agentToken        string
	appInfo           string
	allowInsecure     bool
	signedOnly        bool
	webhookTolerance  time.Duration
	notificationBytes int64
}

func givenBy(options []Option) *given {
	settings := &given{
		timeout:           30 * time.Second,
		maxRetries:        2,
		clock:             systemClock{},
		webhookTolerance:  5 * time.Minute,
		notificationBytes: 1 << 20,
	}
	for _, each := range options {
		if each != nil {
			each.applyTo(settings)
		}
	}
	return settings
}

// WithClientID says who you are: TOLLGATE_CLIENT_ID.
func WithClientID(id string) Option {
	return option(func(s *given) { s.clientID = &id })
}

// WithPrivateKey passes your key: PEM or bare base64, PKCS#8 or PKCS#1. TOLLGATE_PRIVATE_KEY, or the file that
// TOLLGATE_PRIVATE_KEY_FILE names.
func WithPrivateKey(text string) Option {
	return option(func(s *given) { s.privateKey = &text })
}

// WithSigner passes a key that is kept elsewhere, such as in an HSM or a key service. Its public half has to be RSA.
func WithSigner(signer crypto.Signer) Option {
	return option(func(s *given) { s.signer = signer })
}

// WithGatewayPublicKey passes the gateway's key, which then counts for every version. TOLLGATE_GATEWAY_PUBLIC_KEY, or the file
// that TOLLGATE_GATEWAY_PUBLIC_KEY_FILE names.
func WithGatewayPublicKey(text string) Option {
	return option(func(s *given) { s.gatewayKey = &text })
}

// WithGatewayPublicKeys passes the gateway's keys by their version, for the time in which it changes from one to the next.
func WithGatewayPublicKeys(byVersion map[int]string) Option {
	return option(func(s *given) { s.gatewayKeys = byVersion })
}

// WithBaseURL says where the gateway is: scheme and host, such as https://gateway.example. TOLLGATE_BASE_URL.
func WithBaseURL(url string) Option {
	return option(func(s *given) { s.baseURL = &url })
}

// WithKeyVersion is that of your own key; 1 unless said otherwise. TOLLGATE_KEY_VERSION.
func WithKeyVersion(version int) Option {
	return option(func(s *given) { s.keyVersion = &version })
}

// WithEnvironment chooses the sandbox or live. Without it, it is the sandbox if the client id starts with SANDBOX_.
// TOLLGATE_ENVIRONMENT.
func WithEnvironment(environment Environment) Option {
	return option(func(s *given) { s.environment = &environment })
}

// WithTimeout limits each attempt, its answer included; 30 s unless said otherwise. A deadline for all attempts together is that
// of the context.
func WithTimeout(limit time.Duration) SharedOption {
	return sharedOption{func(s *given) { s.timeout = limit }, func(s *callSettings) { s.timeout = limit }}
}

// WithMaxRetries says how often a call that may be repeated is; 2 unless said otherwise.
func WithMaxRetries(count int) SharedOption {
	return sharedOption{func(s *given) { s.maxRetries = count }, func(s *callSettings) { s.maxRetries = count }}
}

// WithTransport sends the bytes: a RoundTripper that you made, such as one with a proxy, with certificates of your own, or one
// that traces. Without it, proxies come from the environment, and a connection has 15 s to be made.
func WithTransport(transport http.RoundTripper) Option {
	return option(func(s *given) { s.transport = transport })
}

// WithLogger is told what happens: requests, answers and retries at the level of debug, and warnings. Nothing in it is secret.
// Without one, TOLLGATE_LOG=debug (info, warn) writes it to standard error.
func WithLogger(logger *slog.Logger) Option {
	return option(func(s *given) { s.logger = logger })
}

// WithClock is for tests.
func WithClock(clock Clock) Option {
	return option(func(s *given) { s.clock = clock })
}

// WithAgentToken is sent as the header agent-token.
func WithAgentToken(token string) Option {
	return option(func(s *given) { s.agentToken = token })
}

// WithAppInfo names who builds on this library: it goes behind its own name in User-Agent. The version may be empty.
func WithAppInfo(name, version string) Option {
	return option(func(s *given) {
		s.appInfo = name
		if version != "" {
			s.appInfo += "/" + version
		}
	})
}

// WithInsecureHTTP allows http:// to any host; otherwise it is for loopback only.
func WithInsecureHTTP() Option {
	return option(func(s *given) { s.allowInsecure = true })
}

// WithSignedRefusalsOnly takes refusals from before the caller is known, which may come unsigned, as errors of the signature.
func WithSignedRefusalsOnly() Option {
	return option(func(s *given) { s.signedOnly = true })
}

// WithWebhookTolerance says how old a notification may be; 5 minutes unless said otherwise, 0 for any age.
func WithWebhookTolerance(tolerance time.Duration) Option {
	return option(func(s *given) { s.webhookTolerance = tolerance })
}

// callSettings are those of one call.
type callSettings struct {
	timeout         time.Duration
	maxRetries      int
	headers         map[string]string
	returnsFailures bool
}

// WithHeader sends a header more: one line of ASCII, and none of those that the library sets.
func WithHeader(name, value string) CallOption {
	return callOption(func(s *callSettings) {
		if s.headers == nil {
			s.headers = map[string]string{}
		}
		s.headers[name] = value
	})
}

// WithFailuresReturned returns a refusal like any other answer, with IsFailure, instead of as an error.
func WithFailuresReturned() CallOption {
	return callOption(func(s *callSettings) { s.returnsFailures = true })
}
