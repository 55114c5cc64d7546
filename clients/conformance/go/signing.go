package main

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tollgate.example/tollgate"
	"tollgate.example/tollgate/internal/keys"
	"tollgate.example/tollgate/internal/wire"
)

type keyPair struct {
	PrivatePkcs8 string `json:"privatePkcs8"`
	PublicSpki   string `json:"publicSpki"`
}

// keyPairs skips the comment field of the file.
var keyPairs = func() map[string]keyPair {
	pairs := map[string]keyPair{}
	for name, raw := range read[map[string]json.RawMessage]("keys.json") {
		var pair keyPair
		if json.Unmarshal(raw, &pair) == nil {
			pairs[name] = pair
		}
	}
	return pairs
}()

type signing struct {
	Method, Path, ClientID, Time, Key, BodyBase64, ContentSha256, Signature, Header string
	KeyVersion                                                                      int
}

func signCase(each testCase) string {
	message := as[signing](each)
	content := wire.SignedText(message.Method, message.Path, message.ClientID, message.Time, decoded(message.BodyBase64))
	digest := sha256.Sum256(content)
	if hex.EncodeToString(digest[:]) != message.ContentSha256 {
		return "the signed text differs"
	}
	key, err := keys.ReadPrivate(keyPairs[message.Key].PrivatePkcs8)
	if err != nil {
		return err.Error()
	}
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
	if err != nil {
		return err.Error()
	}
	if base64.StdEncoding.EncodeToString(signature) != message.Signature {
		return "the signature differs"
	}
	return difference(wire.WriteSignatureHeader(message.KeyVersion, signature), message.Header)
}

type verifying struct {
	Kind, Method, Path, ExpectedClientID, BodyBase64, Now, Expect string
	Headers                                                       [][2]string
	PublicKeys                                                    map[int]string
	ToleranceSeconds                                              int
	Seen                                                          []string
}

func verifyCase(each testCase) string {
	message := as[verifying](each)
	header := http.Header{}
	for _, pair := range message.Headers {
		header.Add(pair[0], pair[1])
	}
	isWebhook := message.Kind == "webhook"
	received := wire.Received{
		Method: message.Method, Path: message.Path, ClientID: message.ExpectedClientID,
		TimeHeader: wire.ResponseTime, Header: header, Body: decoded(message.BodyBase64),
	}
	if isWebhook {
		received.TimeHeader = wire.RequestTime
	}
	verified, problem := wire.Verify(received, func(version int) *rsa.PublicKey {
		name, isThere := message.PublicKeys[version]
		if !isThere {
			return nil
		}
		key, err := keys.ReadPublic(keyPairs[name].PublicSpki)
		if err != nil {
			panic(err)
		}
		return key
	})
	if problem == "" && isWebhook {
		now, isTime := wire.ParseTime(message.Now)
		if !isTime {
			return "the time of the case cannot be read"
		}
		problem = wire.TimeProblem(verified.Time, now, time.Duration(message.ToleranceSeconds)*time.Second)
	}
	if problem == "" {
		problem = "OK"
		if slices.Contains(message.Seen, verified.ReplayKey) {
			problem = "REPLAYED"
		}
	}
	return difference(problem, message.Expect)
}

var keyload = read[struct {
	Text, Signature string
}]("keyload.json")

type keyLoading struct {
	Half, Text, Expect, Place, Message string
	Variable, File                     *string
}

func signsRightly(text string) (*bool, error) {
	key, err := keys.ReadPrivate(text)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(keyload.Text))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
	return tollgate.Ptr(bytes.Equal(signature, decoded(keyload.Signature))), err
}

func verifiesRightly(text string) (*bool, error) {
	key, err := keys.ReadPublic(text)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(keyload.Text))
	return tollgate.Ptr(rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], decoded(keyload.Signature)) == nil), nil
}

func (k keyLoading) works() (func(string) (*bool, error), string) {
	if k.Half == "private" {
		return signsRightly, "TOLLGATE_PRIVATE_KEY"
	}
	return verifiesRightly, "TOLLGATE_GATEWAY_PUBLIC_KEY"
}

func keyCase(each testCase) string {
	given := as[keyLoading](each)
	works, _ := given.works()
	isRight, err := works(given.Text)
	var invalid *keys.InvalidKey
	if errors.As(err, &invalid) {
		if strings.Contains(err.Error(), "MII") {
			return "the key is in the message"
		}
		return difference(invalid.Reason, given.Expect)
	}
	return verdictOn(isRight, err, given.Expect)
}

func verdictOn(isRight *bool, err error, expect string) string {
	switch {
	case err != nil:
		return err.Error()
	case isRight == nil:
		return difference("ABSENT", expect)
	case *isRight:
		return difference("OK", expect)
	}
	return difference("another key", expect)
}

func keySettingCase(each testCase) string {
	given := as[keyLoading](each)
	folder, err := os.MkdirTemp("", "tollgate-key-")
	if err != nil {
		return err.Error()
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file := filepath.Join(folder, "key.pem")
	works, name := given.works()
	variables := map[string]string{}
	if given.Variable != nil {
		variables[name] = *given.Variable
	}
	if given.Place == "folder" {
		err = os.Mkdir(file, 0o700)
	}
	if given.File != nil {
		err = os.WriteFile(file, []byte(*given.File), 0o600)
	}
	if err != nil {
		return err.Error()
	}
	if given.File != nil || given.Place != "" {
		variables[name+"_FILE"] = file
	}
	isRight, err := keys.FromEnvironment(name, works, func(variable string) string { return variables[variable] })
	here, _ := os.Getwd()
	sentence := strings.NewReplacer("{file}", file, "{folder}", here).Replace(given.Message)
	var invalid *keys.InvalidKey
	var setting *keys.Setting
	switch {
	case errors.As(err, &invalid):
		return difference([]string{string(invalid.Reason), err.Error()}, []string{given.Expect, sentence})
	case errors.As(err, &setting):
		return difference([]string{"CONFIGURATION", err.Error()}, []string{given.Expect, sentence})
	}
	return verdictOn(isRight, err, given.Expect)
}

func decoded(base64Text string) []byte {
	content, err := base64.StdEncoding.DecodeString(base64Text)
	if err != nil {
		panic(err)
	}
	return content
}
