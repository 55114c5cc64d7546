package tollgate

import (
	"crypto"
	"log/slog"
	"net/http"
	"time"
)

// Option is a setting of a client. Missing settings are read from environment variables: TOLLGATE_CLIENT_ID
// and so on.
type Option interface{ applyTo(*given) }

// CallOption is a setting of one call.
type CallOption interface{ applyToCall(*callSettings) }

// SharedOption is a setting of a client, or of one call.
type SharedOption interface {
	Option
	CallOption
}

// Environment is the sandbox or live.
type Environment string

// The environments.
const (
	// Sandbox is for tests: no money moves.
	Sandbox Environment = "sandbox"
	// Live is for real payments.
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

// given has the options that were passed; nil for the others.
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

// WithClientID sets your client id. Environment variable: TOLLGATE_CLIENT_ID.
func WithClientID(id string) Option {
	return option(func(s *given) { s.clientID = &id })
}

// WithPrivateKey sets your private key: PEM or bare base64, PKCS#8 or PKCS#1. Environment variable:
// TOLLGATE_PRIVATE_KEY, or TOLLGATE_PRIVATE_KEY_FILE for a file.
func WithPrivateKey(text string) Option {
	return option(func(s *given) { s.privateKey = &text })
}

// WithSigner sets a private key that is kept elsewhere, such as in an HSM or a key service. Its public key
// must be RSA.
func WithSigner(signer crypto.Signer) Option {
	return option(func(s *given) { s.signer = signer })
}

// WithGatewayPublicKey sets the gateway's public key for all key versions. Environment variable:
// TOLLGATE_GATEWAY_PUBLIC_KEY, or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE for a file.
func WithGatewayPublicKey(text string) Option {
	return option(func(s *given) { s.gatewayKey = &text })
}

// WithGatewayPublicKeys sets the gateway's public keys by version, for a key rotation.
func WithGatewayPublicKeys(byVersion map[int]string) Option {
	return option(func(s *given) { s.gatewayKeys = byVersion })
}

// WithBaseURL sets the gateway's scheme and host, such as https://gateway.example. Environment variable:
// TOLLGATE_BASE_URL.
func WithBaseURL(url string) Option {
	return option(func(s *given) { s.baseURL = &url })
}

// WithKeyVersion sets the version of your own key (default 1). Environment variable: TOLLGATE_KEY_VERSION.
func WithKeyVersion(version int) Option {
	return option(func(s *given) { s.keyVersion = &version })
}

// WithEnvironment chooses the sandbox or live. The default is sandbox if the client id starts with SANDBOX_.
// Environment variable: TOLLGATE_ENVIRONMENT.
func WithEnvironment(environment Environment) Option {
	return option(func(s *given) { s.environment = &environment })
}

// WithTimeout limits each attempt, including its response (default 30 s). The context's deadline limits all
// attempts together.
func WithTimeout(limit time.Duration) SharedOption {
	return sharedOption{func(s *given) { s.timeout = limit }, func(s *callSettings) { s.timeout = limit }}
}

// WithMaxRetries sets the maximum number of retries of a request that may be retried (default 2).
func WithMaxRetries(count int) SharedOption {
	return sharedOption{func(s *given) { s.maxRetries = count }, func(s *callSettings) { s.maxRetries = count }}
}

// WithTransport sets the RoundTripper that sends the bytes, for example with a proxy, with your own
// certificates, or with tracing. The default transport reads proxies from the environment, and allows 15 s to
// connect.
func WithTransport(transport http.RoundTripper) Option {
	return option(func(s *given) { s.transport = transport })
}

// WithLogger sets the logger: requests, responses and retries have the level debug, and there are warnings.
// Entries contain no secrets. Without a logger, TOLLGATE_LOG=debug (info, warn) writes them to standard
// error.
func WithLogger(logger *slog.Logger) Option {
	return option(func(s *given) { s.logger = logger })
}

// WithClock sets the clock, for tests.
func WithClock(clock Clock) Option {
	return option(func(s *given) { s.clock = clock })
}

// WithAgentToken sets the header agent-token.
func WithAgentToken(token string) Option {
	return option(func(s *given) { s.agentToken = token })
}

// WithAppInfo names the application or plugin that uses this library; it is appended to User-Agent. The
// version may be empty.
func WithAppInfo(name, version string) Option {
	return option(func(s *given) {
		s.appInfo = name
		if version != "" {
			s.appInfo += "/" + version
		}
	})
}

// WithInsecureHTTP allows http:// for any host. The default allows it only for loopback.
func WithInsecureHTTP() Option {
	return option(func(s *given) { s.allowInsecure = true })
}

// WithSignedRefusalsOnly treats unsigned rejections as signature errors. The gateway may send them before it
// authenticates the client.
func WithSignedRefusalsOnly() Option {
	return option(func(s *given) { s.signedOnly = true })
}

// WithWebhookTolerance sets the maximum age of a webhook (default 5 minutes); 0 accepts any age.
func WithWebhookTolerance(tolerance time.Duration) Option {
	return option(func(s *given) { s.webhookTolerance = tolerance })
}

// callSettings are the settings of one call.
type callSettings struct {
	timeout         time.Duration
	maxRetries      int
	headers         map[string]string
	returnsFailures bool
}

// WithHeader adds a header: one line of ASCII. Headers that the library sets are rejected.
func WithHeader(name, value string) CallOption {
	return callOption(func(s *callSettings) {
		if s.headers == nil {
			s.headers = map[string]string{}
		}
		s.headers[name] = value
	})
}

// WithFailuresReturned returns a rejection like any other response, with IsFailure, instead of as an error.
func WithFailuresReturned() CallOption {
	return callOption(func(s *callSettings) { s.returnsFailures = true })
}
