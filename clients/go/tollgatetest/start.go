package tollgatetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"tollgate.example/tollgate"
)

// Tollgate is a gateway for tests, with its own merchant and a simulated buyer.
type Tollgate struct {
	// BaseURL is the base URL of the gateway.
	BaseURL string
	// ClientID is the merchant's client id.
	ClientID string
	// Client is a client of the gateway.
	Client *tollgate.Client
	// Variables has the environment variables for a program under test: base URL, client id and keys, as
	// every library reads them.
	Variables map[string]string
	running   running
	stop      func() error
}

// running is the output of `tollgate dev --json` when the gateway is ready. The names are an interface that
// programs in any language read.
type running struct {
	BaseURL                string `json:"baseUrl"`
	ClientID               string `json:"clientId"`
	KeyVersion             int    `json:"keyVersion"`
	MerchantPrivateKeyFile string `json:"merchantPrivateKeyFile"`
	GatewayPublicKeyFile   string `json:"gatewayPublicKeyFile"`
	WalletURL              string `json:"walletUrl"`
	ControlSecret          string `json:"controlSecret"`
	// IsOfThisRun marks a merchant that a parent process of the same test run created.
	IsOfThisRun bool `json:"isOfThisRun,omitempty"`
}

const (
	startTimeout = 60 * time.Second
	// handedDown is the variable that passes a running gateway to child processes.
	handedDown = "TOLLGATE_DEV"
)

// Start starts a complete gateway for tests, with the command in TOLLGATE_COMMAND or the command that is
// installed in the project. If one is running already (TOLLGATE_DEV; or TOLLGATE_BASE_URL and
// TOLLGATE_CONTROL_SECRET, as in the .env of `tollgate dev`), it creates an isolated test merchant there
// instead. A gateway that a parent process of the same run started is shared.
func Start(ctx context.Context) (*Tollgate, error) {
	before := os.Getenv(handedDown)
	var handed running
	if before != "" {
		if err := json.Unmarshal([]byte(before), &handed); err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", handedDown, err)
		}
	}
	if handed.IsOfThisRun {
		return startedOf(handed, func() error { return nil })
	}
	begun, stop, err := begin(ctx, handed)
	if err != nil {
		return nil, err
	}
	shared := begun
	shared.IsOfThisRun = true
	if line, err := json.Marshal(shared); err == nil {
		_ = os.Setenv(handedDown, string(line))
	}
	restored := func() error {
		if before == "" {
			return errors.Join(os.Unsetenv(handedDown), stop())
		}
		return errors.Join(os.Setenv(handedDown, before), stop())
	}
	started, err := startedOf(begun, sync.OnceValue(restored))
	if err != nil {
		return nil, errors.Join(err, restored())
	}
	return started, nil
}

func begin(ctx context.Context, handed running) (running, func() error, error) {
	shared := handed
	if shared.BaseURL == "" {
		shared = running{
			BaseURL:       os.Getenv("TOLLGATE_BASE_URL"),
			ControlSecret: os.Getenv("TOLLGATE_CONTROL_SECRET"),
			WalletURL:     os.Getenv("TOLLGATE_WALLET_URL"),
		}
	}
	if shared.BaseURL != "" && shared.ControlSecret != "" {
		joined, stop, err := openUniverse(ctx, shared)
		if err != nil || stop != nil {
			return joined, stop, err
		}
	}
	if handed.BaseURL != "" {
		return running{}, nil, fmt.Errorf("%s names %s, but no gateway listens there", handedDown, handed.BaseURL)
	}
	// The settings in .env do not count as a running gateway: they remain after their `tollgate dev` has
	// stopped.
	return startDev(ctx)
}

func startedOf(running running, stop func() error) (*Tollgate, error) {
	privateKey, err := os.ReadFile(running.MerchantPrivateKeyFile)
	publicKey, publicError := os.ReadFile(running.GatewayPublicKeyFile)
	if err := errors.Join(err, publicError); err != nil {
		return nil, err
	}
	client, err := tollgate.New(
		tollgate.WithBaseURL(running.BaseURL),
		tollgate.WithClientID(running.ClientID),
		tollgate.WithKeyVersion(running.KeyVersion),
		tollgate.WithPrivateKey(string(privateKey)),
		tollgate.WithGatewayPublicKey(string(publicKey)),
	)
	if err != nil {
		return nil, err
	}
	return &Tollgate{
		BaseURL:  running.BaseURL,
		ClientID: running.ClientID,
		Client:   client,
		Variables: map[string]string{
			"TOLLGATE_BASE_URL":                running.BaseURL,
			"TOLLGATE_CLIENT_ID":               running.ClientID,
			"TOLLGATE_KEY_VERSION":             strconv.Itoa(running.KeyVersion),
			"TOLLGATE_PRIVATE_KEY_FILE":        running.MerchantPrivateKeyFile,
			"TOLLGATE_GATEWAY_PUBLIC_KEY_FILE": running.GatewayPublicKeyFile,
		},
		running: running,
		stop:    stop,
	}, nil
}

// Approve makes the buyer pay.
func (t *Tollgate) Approve(ctx context.Context, paymentID string) error {
	return t.decide(ctx, paymentID, "approve")
}

// Decline makes the buyer decline to pay.
func (t *Tollgate) Decline(ctx context.Context, paymentID string) error {
	return t.decide(ctx, paymentID, "decline")
}

// Stop stops the gateway that was started here, or deletes this run's isolated test merchant on a shared
// gateway.
func (t *Tollgate) Stop() error {
	t.Client.Close()
	return t.stop()
}

// decide acts as the buyer, through the sandbox provider's API for tests.
func (t *Tollgate) decide(ctx context.Context, paymentID, word string) error {
	address := t.running.WalletURL + "/control/payments/" + url.PathEscape(paymentID) + "/" + word
	_, err := ask(ctx, http.MethodPost, address, t.running.ControlSecret, nil)
	if err != nil {
		return fmt.Errorf("the sandbox provider could not %s payment %s: %w", word, paymentID, err)
	}
	return nil
}

// refused is a response with a status other than 200.
type refused struct {
	status int
	text   string
}

func (r *refused) Error() string { return fmt.Sprintf("HTTP %d: %s", r.status, r.text) }

func ask(ctx context.Context, method, address, secret string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+secret)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		return nil, &refused{response.StatusCode, string(text)}
	}
	return text, nil
}

func startDev(ctx context.Context) (running, func() error, error) {
	command := os.Getenv("TOLLGATE_COMMAND")
	if command == "" {
		// `--no` prevents a download.
		command = "npx --no tollgate"
	}
	// The gateway exits when the pipe to its standard input closes, so it is not left running, however this
	// process ends.
	child := exec.Command("sh", "-c", command+" dev --json --ephemeral --until-stdin-closes")
	var said bytes.Buffer
	child.Stderr = &said
	input, err := child.StdinPipe()
	output, outputError := child.StdoutPipe()
	if err := errors.Join(err, outputError); err != nil {
		return running{}, nil, err
	}
	if err := child.Start(); err != nil {
		return running{}, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	closing := context.AfterFunc(ctx, func() { _ = input.Close() })
	lines := bufio.NewReader(output)
	line, readError := lines.ReadBytes('\n')
	if !closing() && readError == nil {
		readError = ctx.Err()
	}
	drained := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		close(drained)
	}()
	stop := func() error {
		_ = input.Close()
		<-drained
		return child.Wait()
	}
	var started running
	if readError == nil {
		readError = json.Unmarshal(line, &started)
	}
	if readError != nil {
		ended := stop()
		return running{}, nil, fmt.Errorf(
			"Tollgate did not start (%w, %v). The command was `%s`; is it installed? TOLLGATE_COMMAND can set another command.\n%s",
			readError, ended, command, strings.TrimSpace(said.String()))
	}
	return started, stop, nil
}
