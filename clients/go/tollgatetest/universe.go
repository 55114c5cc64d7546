package tollgatetest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// openUniverse creates an isolated test merchant on a shared sandbox. Stop is nil if no gateway listens at
// its address.
func openUniverse(ctx context.Context, shared running) (running, func() error, error) {
	pair, err := NewKeyPair()
	if err != nil {
		return running{}, nil, err
	}
	asked, err := json.Marshal(map[string]string{"publicKey": armoured("PUBLIC KEY", pair.Public)})
	if err != nil {
		return running{}, nil, err
	}
	universes := strings.TrimSuffix(shared.BaseURL, "/") + "/sandbox/universes"
	answered, err := ask(ctx, http.MethodPost, universes, shared.ControlSecret, asked)
	var no *refused
	if errors.As(err, &no) {
		return running{}, nil, fmt.Errorf("the Tollgate at %s created no isolated test merchant: %w", shared.BaseURL, err)
	}
	if err != nil {
		return running{}, nil, ctx.Err()
	}
	var opened struct {
		running
		GatewayPublicKey string `json:"gatewayPublicKey"`
	}
	if err := json.Unmarshal(answered, &opened); err != nil {
		return running{}, nil, err
	}
	folder, err := os.MkdirTemp("", "tollgate-universe-")
	if err != nil {
		return running{}, nil, err
	}
	joined := opened.running
	joined.BaseURL, joined.ControlSecret = shared.BaseURL, shared.ControlSecret
	if shared.WalletURL != "" {
		joined.WalletURL = shared.WalletURL
	}
	joined.MerchantPrivateKeyFile = filepath.Join(folder, "merchant-private.pem")
	joined.GatewayPublicKeyFile = filepath.Join(folder, "gateway-public.pem")
	err = errors.Join(
		os.WriteFile(joined.MerchantPrivateKeyFile, []byte(armoured("PRIVATE KEY", pair.Private)), 0o600),
		os.WriteFile(joined.GatewayPublicKeyFile, []byte(opened.GatewayPublicKey), 0o600),
	)
	if err != nil {
		return running{}, nil, errors.Join(err, os.RemoveAll(folder))
	}
	return joined, func() error {
		// Errors are ignored: the test merchant is gone with its gateway, or expires by itself.
		_, _ = ask(context.Background(), http.MethodDelete, universes+"/"+joined.ClientID, shared.ControlSecret, nil)
		return os.RemoveAll(folder)
	}, nil
}

func armoured(label, base64Text string) string {
	der, err := base64.StdEncoding.DecodeString(base64Text)
	if err != nil {
		return ""
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der}))
}
