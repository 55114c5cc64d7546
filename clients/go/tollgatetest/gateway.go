// Package tollgatetest has tools for tests of programs that use tollgate: a gateway in memory that signs its
// responses, a clock that you control, keys, and a complete gateway to start.
package tollgatetest

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"tollgate.example/tollgate/internal/keys"
	"tollgate.example/tollgate/internal/wire"
)

// Reply is the next response of a scripted gateway.
type Reply struct {
	// Body is written as JSON.
	Body any
	// Status is the HTTP status (default 200).
	Status int
	// Header has headers in addition to those of the signature.
	Header http.Header
	// Err is the error instead of a response, such as a connection reset.
	Err error
}

// Request is a received request, byte for byte.
type Request struct {
	// Path is the path of the request.
	Path string
	// Header has the headers of the request.
	Header http.Header
	// Body has the bytes that were signed.
	Body []byte
}

// Gateway is a gateway in memory: pass it to tollgate.WithTransport. It sends its signed responses in order.
type Gateway struct {
	mutex    sync.Mutex
	replies  []Reply
	requests []Request
	key      *rsa.PrivateKey
}

// NewGateway creates a gateway that sends these responses, one for each request, signed with this key: PEM or
// base64.
func NewGateway(privateKey string, replies ...Reply) (*Gateway, error) {
	key, err := keys.ReadPrivate(privateKey)
	if err != nil {
		return nil, err
	}
	return &Gateway{replies: replies, key: key}, nil
}

// Requests returns the requests so far.
func (g *Gateway) Requests() []Request {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return append([]Request(nil), g.requests...)
}

// RoundTrip responds like a gateway.
func (g *Gateway) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	reply, err := g.next(Request{request.URL.RequestURI(), request.Header.Clone(), body})
	if err != nil {
		return nil, err
	}
	if reply.Err != nil {
		return nil, reply.Err
	}
	return g.signed(request, reply)
}

func (g *Gateway) next(request Request) (Reply, error) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.requests = append(g.requests, request)
	if len(g.requests) > len(g.replies) {
		return Reply{}, fmt.Errorf("there is no response number %d", len(g.requests))
	}
	return g.replies[len(g.requests)-1], nil
}

func (g *Gateway) signed(request *http.Request, reply Reply) (*http.Response, error) {
	body, err := json.Marshal(reply.Body)
	if err != nil {
		return nil, err
	}
	// The response's time is the request's time: the client may have a fake clock, and rejects a response
	// that is too old.
	sent, err := strconv.ParseInt(request.Header.Get("Request-Time"), 10, 64)
	if err != nil {
		return nil, err
	}
	clientID, at := request.Header.Get("Client-Id"), wire.WriteTime(time.UnixMilli(sent))
	digest := sha256.Sum256(wire.SignedText(http.MethodPost, request.URL.RequestURI(), clientID, at, body))
	signature, err := rsa.SignPKCS1v15(nil, g.key, crypto.SHA256, digest[:])
	if err != nil {
		return nil, err
	}
	header := reply.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Signature", wire.WriteSignatureHeader(1, signature))
	header.Set("Response-Time", at)
	header.Set("Client-Id", clientID)
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	return &http.Response{
		StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: request,
	}, nil
}

// VerifyRequest returns nil if the owner of the public key signed the request.
func VerifyRequest(request Request, publicKey string) error {
	key, err := keys.ReadPublic(publicKey)
	if err != nil {
		return err
	}
	header, problem := wire.ReadSignatureHeader(request.Header.Values("Signature"))
	signature := wire.DecodeSignature(header.Signature)
	if problem != "" || signature == nil {
		return errors.New("the request has no valid signature header")
	}
	clientID, at := request.Header.Get("Client-Id"), request.Header.Get("Request-Time")
	digest := sha256.Sum256(wire.SignedText(http.MethodPost, request.Path, clientID, at, request.Body))
	return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature)
}

// KeyPair is a key pair, in base64.
type KeyPair struct {
	// Private is PKCS#8.
	Private string
	// Public is SubjectPublicKeyInfo.
	Public string
}

// NewKeyPair creates a key pair.
func NewKeyPair() (KeyPair, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return KeyPair{}, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return KeyPair{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return KeyPair{}, err
	}
	return KeyPair{base64.StdEncoding.EncodeToString(private), base64.StdEncoding.EncodeToString(public)}, nil
}

// SignNotification returns the headers that the gateway would send with this body, for tests of an endpoint.
// The address is the URL of the endpoint, or only its path and query.
func SignNotification(address string, body []byte, clientID, privateKey string, at time.Time) (http.Header, error) {
	key, err := keys.ReadPrivate(privateKey)
	if err != nil {
		return nil, err
	}
	called, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	written := wire.WriteTime(at)
	digest := sha256.Sum256(wire.SignedText(http.MethodPost, called.RequestURI(), clientID, written, body))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
	if err != nil {
		return nil, err
	}
	return http.Header{
		"Content-Type": {"application/json; charset=UTF-8"},
		"Client-Id":    {clientID},
		"Request-Time": {written},
		"Signature":    {wire.WriteSignatureHeader(1, signature)},
	}, nil
}
