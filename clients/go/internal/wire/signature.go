// Package wire writes and reads the signature and the time of a message.
package wire

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
)

// SignedText returns the bytes that a signature covers: `POST /path\nclient.time.body`, over the raw bytes of
// the body. A response has the path of its request. The time is the text of the header, not the parsed time.
func SignedText(method, path, clientID, time string, body []byte) []byte {
	head := method + " " + path + "\n" + clientID + "." + time + "."
	return append([]byte(head), body...)
}

// WriteSignatureHeader uses a fixed order and no blanks, because some parsers depend on the position.
func WriteSignatureHeader(keyVersion int, signature []byte) string {
	text := base64.StdEncoding.EncodeToString(signature)
	encoded := strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").Replace(text)
	return "algorithm=RSA256,keyVersion=" + strconv.Itoa(keyVersion) + ",signature=" + encoded
}

// SignatureHeader is the parsed header. The signature is still percent-encoded base64; it is decoded when the
// key is known.
type SignatureHeader struct {
	KeyVersion int
	Signature  string
}

// versionForm limits the number of digits, so that every version fits into an integer.
var versionForm = regexp.MustCompile(`^[0-9]{1,9}$`)

// ReadSignatureHeader accepts parameters in any order, names in any case, with or without blanks. The problem
// is "" if there is none.
func ReadSignatureHeader(values []string) (SignatureHeader, Problem) {
	if len(values) == 0 || strings.TrimSpace(values[0]) == "" {
		return SignatureHeader{}, MissingSignature
	}
	if len(values) > 1 {
		return SignatureHeader{}, MalformedSignature
	}
	parameters := map[string]string{}
	for _, item := range strings.Split(values[0], ",") {
		name, value, _ := strings.Cut(item, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if _, isThere := parameters[name]; isThere || name == "" || !strings.Contains(item, "=") {
			return SignatureHeader{}, MalformedSignature
		}
		parameters[name] = strings.TrimSpace(value)
	}
	version, hasVersion := parameters["keyversion"]
	if !hasVersion {
		version = "1"
	}
	algorithm, hasAlgorithm := parameters["algorithm"]
	if parameters["signature"] == "" || !hasAlgorithm || !versionForm.MatchString(version) {
		return SignatureHeader{}, MalformedSignature
	}
	if algorithm != "RSA256" {
		return SignatureHeader{}, UnsupportedAlgorithm
	}
	number, err := strconv.Atoi(version)
	if err != nil {
		return SignatureHeader{}, MalformedSignature
	}
	return SignatureHeader{KeyVersion: number, Signature: parameters["signature"]}, ""
}

var (
	signatureForm = regexp.MustCompile(`^(?:[A-Za-z0-9+/_=-]|%[0-9A-Fa-f]{2})+$`)
	percentForm   = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	base64Form    = regexp.MustCompile(`^[A-Za-z0-9+/]*={0,2}$`)
	paddingForm   = regexp.MustCompile(`={1,2}$`)
)

// DecodeSignature decodes a signature; nil if it is invalid. It accepts both base64 alphabets, with or
// without percent-encoding and padding.
func DecodeSignature(text string) []byte {
	if !signatureForm.MatchString(text) {
		return nil
	}
	plain := percentForm.ReplaceAllStringFunc(text, func(hex string) string {
		code, err := strconv.ParseUint(hex[1:], 16, 8)
		if err != nil {
			return hex
		}
		return string([]byte{byte(code)})
	})
	bare := strings.NewReplacer("-", "+", "_", "/").Replace(paddingForm.ReplaceAllString(plain, ""))
	return FromBase64(bare + strings.Repeat("=", (4-len(bare)%4)%4))
}

// FromBase64 decodes strict base64; nil if the text has other characters or nonzero unused bits.
func FromBase64(text string) []byte {
	if !base64Form.MatchString(text) {
		return nil
	}
	if len(text)%4 == 0 {
		text = paddingForm.ReplaceAllString(text, "")
	}
	bytes, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil
	}
	return bytes
}
