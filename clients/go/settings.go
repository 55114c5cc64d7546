package tollgate

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"tollgate.example/tollgate/internal/keys"
	"tollgate.example/tollgate/internal/wire"
)

// settings are a client's settings, validated and complete.
type settings struct {
	clientID   string
	signer     crypto.Signer
	keyVersion int
	gateway    wire.GatewayKeys
	// baseURL is scheme and host, without a slash at the end.
	baseURL    string
	isSandbox  bool
	timeout    time.Duration
	maxRetries int
	transport  http.RoundTripper
	log        log
	observer   Observer
	clock      Clock
	headers    map[string]string
	signedOnly bool
	// tolerance is the maximum age of webhooks and events.
	tolerance time.Duration
}

func settingsOf(given *given) (*settings, error) {
	if err := given.askEnvironmentForLogger(); err != nil {
		return nil, err
	}
	clientID, err := clientIDOf(given)
	if err != nil {
		return nil, err
	}
	signer, err := signerOf(given)
	if err != nil {
		return nil, err
	}
	own, isRSA := signer.Public().(*rsa.PublicKey)
	if !isRSA {
		return nil, misconfigured("The signer's key is for another algorithm. It must be an RSA key.")
	}
	gateway, err := gatewayKeysOf(given, own)
	if err != nil {
		return nil, err
	}
	keyVersion, err := keyVersionOf(given)
	if err != nil {
		return nil, err
	}
	baseURL, err := baseURLOf(given)
	if err != nil {
		return nil, err
	}
	isSandbox, err := isSandboxFor(given, clientID)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkedTimeout(given.timeout), checkedRetries(given.maxRetries)); err != nil {
		return nil, err
	}
	headers, err := headersOf(given)
	if err != nil {
		return nil, err
	}
	return &settings{
		clientID: clientID, signer: signer, keyVersion: keyVersion, gateway: gateway, baseURL: baseURL,
		isSandbox: isSandbox, timeout: given.timeout, maxRetries: given.maxRetries, transport: transportOf(given),
		log: log{given.logger}, observer: given.observer, clock: given.clock, headers: headers, signedOnly: given.signedOnly,
		tolerance: given.webhookTolerance,
	}, nil
}

// sign signs a message, wherever the key is.
func (s *settings) sign(text []byte) ([]byte, error) {
	digest := sha256.Sum256(text)
	return s.signer.Sign(rand.Reader, digest[:], crypto.SHA256)
}

func missing(option, variable string) *ConfigurationError {
	return misconfigured("There is no %s: pass it, or set TOLLGATE_%s.", option, variable)
}

// orVariable returns the option, or else the environment variable; nil if both are missing.
func orVariable(passed *string, variable string) *string {
	if passed == nil {
		if text := os.Getenv(variable); text != "" {
			return &text
		}
	}
	return passed
}

var clientIDForm = regexp.MustCompile(`^[\x21-\x7e]{1,64}$`)

func clientIDOf(given *given) (string, error) {
	id := orVariable(given.clientID, "TOLLGATE_CLIENT_ID")
	if id == nil {
		return "", missing("client id", "CLIENT_ID")
	}
	if !clientIDForm.MatchString(*id) {
		return "", misconfigured("A client id must have 1 to 64 visible ASCII characters.")
	}
	return *id, nil
}

func signerOf(given *given) (crypto.Signer, error) {
	if given.signer != nil {
		return given.signer, nil
	}
	key, err := (*rsa.PrivateKey)(nil), error(nil)
	if given.privateKey != nil {
		key, err = keys.ReadPrivate(*given.privateKey)
	} else {
		key, err = keys.FromEnvironment("TOLLGATE_PRIVATE_KEY", keys.ReadPrivate, os.Getenv)
	}
	if err != nil {
		return nil, keyError(err)
	}
	if key == nil {
		return nil, missing("private key", "PRIVATE_KEY or TOLLGATE_PRIVATE_KEY_FILE")
	}
	return key, nil
}

// gatewayKeysOf finds the gateway's public keys. Own is the merchant's public key, or nil if there is none.
func gatewayKeysOf(given *given, own *rsa.PublicKey) (wire.GatewayKeys, error) {
	one, byVersion, err := gatewayKeysIn(given)
	if err != nil {
		return nil, err
	}
	all := []*rsa.PublicKey{one}
	if one == nil {
		all = all[:0]
		for _, key := range byVersion {
			all = append(all, key)
		}
	}
	if len(all) == 0 {
		return nil, misconfigured("At least one public key of the gateway is required.")
	}
	for _, key := range all {
		if own != nil && bytes.Equal(x509.MarshalPKCS1PublicKey(key), x509.MarshalPKCS1PublicKey(own)) {
			message := "The configured key of the gateway is your own public key, so verification will fail. Use the public " +
				"key that the gateway showed you at registration."
			log{given.logger}.tell(noContext, slog.LevelWarn, message, CallFacts{})
		}
	}
	return func(version int) *rsa.PublicKey {
		if one != nil {
			return one
		}
		return byVersion[version]
	}, nil
}

func gatewayKeysIn(given *given) (one *rsa.PublicKey, byVersion map[int]*rsa.PublicKey, err error) {
	switch {
	case given.gatewayKeys != nil:
		byVersion = make(map[int]*rsa.PublicKey, len(given.gatewayKeys))
		for version, text := range given.gatewayKeys {
			if byVersion[version], err = keys.ReadPublic(text); err != nil {
				return nil, nil, keyError(err)
			}
		}
		return nil, byVersion, nil
	case given.gatewayKey != nil:
		one, err = keys.ReadPublic(*given.gatewayKey)
	default:
		one, err = keys.FromEnvironment("TOLLGATE_GATEWAY_PUBLIC_KEY", keys.ReadPublic, os.Getenv)
	}
	if err != nil {
		return nil, nil, keyError(err)
	}
	if one == nil {
		return nil, nil, missing("public key of the gateway", "GATEWAY_PUBLIC_KEY or TOLLGATE_GATEWAY_PUBLIC_KEY_FILE")
	}
	return one, nil, nil
}

func keyVersionOf(given *given) (int, error) {
	version := 1
	if given.keyVersion != nil {
		version = *given.keyVersion
	} else if text := os.Getenv("TOLLGATE_KEY_VERSION"); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil {
			number = 0
		}
		version = number
	}
	if version < 1 {
		return 0, misconfigured("The key version must be 1 or more.")
	}
	return version, nil
}

func baseURLOf(given *given) (string, error) {
	text := orVariable(given.baseURL, "TOLLGATE_BASE_URL")
	if text == nil {
		return "", missing("base URL", "BASE_URL")
	}
	address, err := url.Parse(*text)
	if err != nil || (address.Scheme != "https" && address.Scheme != "http") || address.Host == "" {
		return "", misconfigured("The base URL must be like https://gateway.example, but it is %s.", *text)
	}
	if strings.Trim(address.Path, "/") != "" || address.RawQuery != "" || address.User != nil {
		return "", misconfigured("The base URL must have only a scheme and a host, because paths are signed.")
	}
	if address.Scheme == "http" && !isLoopback(address.Hostname()) && !given.allowInsecure {
		return "", misconfigured("The base URL must start with https://. Only loopback may use http://.")
	}
	return address.Scheme + "://" + address.Host, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

func isSandboxFor(given *given, clientID string) (bool, error) {
	chosen := Environment(os.Getenv("TOLLGATE_ENVIRONMENT"))
	if given.environment != nil {
		chosen = *given.environment
	} else if chosen == "" {
		return strings.HasPrefix(clientID, "SANDBOX_"), nil
	}
	if chosen != Sandbox && chosen != Live {
		return false, misconfigured("The environment must be sandbox or live, not %s.", chosen)
	}
	return chosen == Sandbox, nil
}

func checkedTimeout(limit time.Duration) error {
	if limit > 0 {
		return nil
	}
	return misconfigured("A timeout must be greater than 0.")
}

func checkedRetries(count int) error {
	if count >= 0 {
		return nil
	}
	return misconfigured("The number of retries must not be less than 0.")
}

func headersOf(given *given) (map[string]string, error) {
	agent := fmt.Sprintf("tollgate-go/%s (%s)", Version, runtime.Version())
	if given.appInfo != "" {
		agent += " " + given.appInfo
	}
	headers := map[string]string{"User-Agent": agent}
	if given.agentToken != "" {
		headers["Agent-Token"] = given.agentToken
	}
	return headers, checkedHeaders(headers)
}

var (
	headerNameForm  = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	headerValueForm = regexp.MustCompile(`^[\x20-\x7e]*$`)
)

// checkedHeaders rejects values with line breaks: header injection.
func checkedHeaders(headers map[string]string) error {
	for name, value := range headers {
		if !headerNameForm.MatchString(name) || !headerValueForm.MatchString(value) {
			return misconfigured("The header %q has invalid characters.", name)
		}
		switch strings.ToLower(name) {
		case "client-id", "request-time", "signature", "content-type", "content-length", "host":
			return misconfigured("The header %s is set by the library.", name)
		}
	}
	return nil
}

// transportOf creates a separate transport: the whole program shares the default transport of net/http, and
// may close its connections.
func transportOf(given *given) http.RoundTripper {
	if given.transport != nil {
		return given.transport
	}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 32,
		IdleConnTimeout:     60 * time.Second,
		TLSHandshakeTimeout: 15 * time.Second,
		DisableCompression:  true,
	}
}
