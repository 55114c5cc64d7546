// Package tollgatetest has what tests of a program need that uses tollgate: a gateway in memory that signs its answers, a clock
// that can be moved, keys, and a whole gateway to start.
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

// Reply is what a scripted gateway answers next.
type Reply struct {
	// Body is written as JSON.
	Body any
	// Status is the HTTP status; 200 unless said otherwise.
	Status int
	// Header is sent beside those of the signature.
	Header http.Header
	// Err is what happens instead of an answer, such as a connection that is reset.
	Err error
}

// Request is one that was sent, to the byte.
type Request struct {
	// Path is what was called.
	Path string
	// Header has the headers that were sent.
	Header http.Header
	// Body has the bytes that were signed.
	Body []byte
}

// Gateway is one in memory: pass it to tollgate.WithTransport. It gives its replies one after the other, signed.
type Gateway struct {
	mutex    sync.Mutex
	replies  []Reply
	requests []Request
	key      *rsa.PrivateKey
}

// NewGateway makes a gateway with these answers, one for each request, signed with this key: PEM or base64.
func NewGateway(privateKey string, replies ...Reply) (*Gateway, error) {
	key, err := keys.ReadPrivate(privateKey)
	if err != nil {
		return nil, err
	}
	return &Gateway{replies: replies, key: key}, nil
}

// Requests gives what was sent so far.
func (g *Gateway) Requests() []Request {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return append([]Request(nil), g.requests...)
}

// RoundTrip answers like a gateway.
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
		return Reply{}, fmt.Errorf("there is no answer number %d", len(g.requests))
	}
	return g.replies[len(g.requests)-1], nil
}

func (g *Gateway) signed(request *http.Request, reply Reply) (*http.Response, error) {
	body, err := json.Marshal(reply.Body)
	if err != nil {
		return nil, err
	}
	// On the caller's clock, which may be a fake one: an answer that is too old is refused.
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

// VerifyRequest is nil if a request that was sent is signed by the owner of the public key.
func VerifyRequest(request Request, publicKey string) error {
	key, err := keys.ReadPublic(publicKey)
	if err != nil {
		return err
	}
	header, problem := wire.ReadSignatureHeader(request.Header.Values("Signature"))
	signature := wire.DecodeSignature(header.Signature)
	if problem != "" || signature == nil {
		return errors.New("the request carries no signature that can be read")
	}
	clientID, at := request.Header.Get("Client-Id"), request.Header.Get("Request-Time")
	digest := sha256.Sum256(wire.SignedText(http.MethodPost, request.Path, clientID, at, request.Body))
	return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature)
}

// KeyPair is a pair of keys, in base64.
type KeyPair struct {
	// Private is PKCS#8.
	Private string
	// Public is SubjectPublicKeyInfo.
	Public string
}

// NewKeyPair makes a new pair of keys.
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

// SignNotification gives the headers that the gateway would send with this body, for tests of an endpoint. The address is that of
// the endpoint, or its path and query alone.
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
