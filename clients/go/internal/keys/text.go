// Package keys reads RSA keys in all usual formats, and explains why other keys are invalid.
package keys

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"fmt"
	"regexp"
	"strings"

	"tollgate.example/tollgate/internal/wire"
)

// Half is the expected half of a key pair.
type Half string

// The halves of a key pair.
const (
	Private Half = "private"
	Public  Half = "public"
)

// Reason is the reason why a key is invalid.
type Reason string

// The reasons, the same as in every library.
const (
	Empty                  Reason = "EMPTY"
	NotBase64              Reason = "NOT_BASE64"
	NotAKey                Reason = "NOT_A_KEY"
	Encrypted              Reason = "ENCRYPTED"
	NotRSA                 Reason = "NOT_RSA"
	PublicInsteadOfPrivate Reason = "PUBLIC_INSTEAD_OF_PRIVATE"
	PrivateInsteadOfPublic Reason = "PRIVATE_INSTEAD_OF_PUBLIC"
	WrongSize              Reason = "WRONG_SIZE"
)

const (
	bitsMin = 2048
	bitsMax = 4096
)

// InvalidKey is the error for an unusable key.
type InvalidKey struct {
	Reason  Reason
	Message string
}

// Error returns the message, which never contains the key.
func (e *InvalidKey) Error() string { return e.Message }

func problem(reason Reason, half Half, bits int) *InvalidKey {
	name := "The private key"
	if half == Public {
		name = "The gateway's public key"
	}
	sentence := map[Reason]string{
		Empty:                  "it is empty. Is the environment variable or the file set?",
		NotBase64:              "it is neither PEM nor base64.",
		NotAKey:                "it is not an RSA key in PKCS#8, PKCS#1 or SubjectPublicKeyInfo format, or it is truncated.",
		Encrypted:              "it is protected by a password. Provide the key without a password.",
		NotRSA:                 "it is for another algorithm. It must be an RSA key.",
		PublicInsteadOfPrivate: "this is a public key. Provide the private key of the same pair.",
		PrivateInsteadOfPublic: "this is a private key. Provide the gateway's public key.",
		WrongSize:              fmt.Sprintf("it has %d bits. It must have %d to %d.", bits, bitsMin, bitsMax),
	}[reason]
	return &InvalidKey{Reason: reason, Message: name + " cannot be used: " + sentence}
}

// ReadPrivate reads the merchant's private key.
func ReadPrivate(text string) (*rsa.PrivateKey, error) {
	found, err := read(text, Private)
	if err != nil {
		return nil, err
	}
	key, parseError := x509.ParsePKCS1PrivateKey(found.pkcs1)
	if parseError != nil {
		return nil, problem(NotAKey, Private, 0)
	}
	return key, nil
}

// ReadPublic reads a public key of the gateway.
func ReadPublic(text string) (*rsa.PublicKey, error) {
	found, err := read(text, Public)
	if err != nil {
		return nil, err
	}
	key, parseError := x509.ParsePKCS1PublicKey(found.pkcs1)
	if parseError != nil {
		return nil, problem(NotAKey, Public, 0)
	}
	return key, nil
}

func read(text string, half Half) (found, error) {
	der, invalid := derIn(text, half)
	if invalid != nil {
		return found{}, invalid
	}
	key, invalid := keyIn(der, half)
	if invalid != nil {
		return found{}, invalid
	}
	if key.half != half {
		reason := PublicInsteadOfPrivate
		if half == Public {
			reason = PrivateInsteadOfPublic
		}
		return found{}, problem(reason, half, 0)
	}
	if key.bits < bitsMin || key.bits > bitsMax {
		return found{}, problem(WrongSize, half, key.bits)
	}
	return key, nil
}

var (
	writtenOutLine = regexp.MustCompile(`\\r|\\n`)
	quotes         = regexp.MustCompile(`^["']|["']$`)
	armour         = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]+-----([\s\S]*?)-----END [A-Z0-9 ]+-----`)
	blanks         = regexp.MustCompile(`\s`)
)

func derIn(text string, half Half) ([]byte, *InvalidKey) {
	plain := writtenOutLine.ReplaceAllString(text, "\n")
	plain = quotes.ReplaceAllString(strings.TrimSpace(strings.TrimPrefix(plain, "\ufeff")), "")
	if strings.TrimSpace(plain) == "" {
		return nil, problem(Empty, half, 0)
	}
	if strings.Contains(plain, "ENCRYPTED") {
		return nil, problem(Encrypted, half, 0)
	}
	if match := armour.FindStringSubmatch(plain); match != nil {
		plain = match[1]
	}
	der := wire.FromBase64(blanks.ReplaceAllString(plain, ""))
	if len(der) == 0 {
		return nil, problem(NotBase64, half, 0)
	}
	return der, nil
}

// found is a key, and which half of a pair it is.
type found struct {
	half  Half
	pkcs1 []byte
	bits  int
}

// keyIn determines the format from the bytes, not from the PEM label.
func keyIn(der []byte, half Half) (found, *InvalidKey) {
	parts, isSequence := sequence(der)
	if !isSequence {
		return found{}, problem(NotAKey, half, 0)
	}
	switch {
	case begins(parts, asn1.TagInteger, asn1.TagInteger):
		return pkcs1In(der, parts, half)
	case begins(parts, asn1.TagInteger, asn1.TagSequence, asn1.TagOctetString):
		return wrappedIn(parts[1], parts[2].Bytes, half)
	case begins(parts, asn1.TagSequence, asn1.TagBitString) && len(parts[1].Bytes) > 0:
		return wrappedIn(parts[0], parts[1].Bytes[1:], half)
	case begins(parts, asn1.TagSequence, asn1.TagOctetString):
		return found{}, problem(Encrypted, half, 0)
	case begins(parts, asn1.TagInteger, asn1.TagOctetString):
		return found{}, problem(NotRSA, half, 0)
	}
	return found{}, problem(NotAKey, half, 0)
}

// rsaEncryption is 1.2.840.113549.1.1.1.
var rsaEncryption = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01}

// wrappedIn reads PKCS#8 and SubjectPublicKeyInfo: an algorithm identifier, then PKCS#1 in a string.
func wrappedIn(algorithm asn1.RawValue, inside []byte, half Half) (found, *InvalidKey) {
	names, areElements := elements(algorithm.Bytes)
	if !areElements || len(names) == 0 || !bytes.Equal(names[0].Bytes, rsaEncryption) {
		return found{}, problem(NotRSA, half, 0)
	}
	parts, isSequence := sequence(inside)
	if !isSequence {
		return found{}, problem(NotAKey, half, 0)
	}
	return pkcs1In(inside, parts, half)
}

// pkcs1In reads PKCS#1: two integers are a public key; a version and eight integers are a private key.
func pkcs1In(pkcs1 []byte, parts []asn1.RawValue, half Half) (found, *InvalidKey) {
	if len(parts) >= 9 {
		return found{half: Private, pkcs1: pkcs1, bits: bitsOf(parts[1].Bytes)}, nil
	}
	if len(parts) != 2 {
		return found{}, problem(NotAKey, half, 0)
	}
	return found{half: Public, pkcs1: pkcs1, bits: bitsOf(parts[0].Bytes)}, nil
}

func bitsOf(integer []byte) int {
	significant := bytes.TrimLeft(integer, "\x00")
	if len(significant) == 0 {
		return 0
	}
	bits := len(significant) * 8
	for top := significant[0]; top&0x80 == 0; top <<= 1 {
		bits--
	}
	return bits
}

// sequence returns the elements inside the single DER sequence that these bytes encode.
func sequence(der []byte) ([]asn1.RawValue, bool) {
	outer, areElements := elements(der)
	if !areElements || len(outer) != 1 || outer[0].Tag != asn1.TagSequence {
		return nil, false
	}
	return elements(outer[0].Bytes)
}

func elements(der []byte) ([]asn1.RawValue, bool) {
	var all []asn1.RawValue
	for len(der) > 0 {
		var element asn1.RawValue
		rest, err := asn1.Unmarshal(der, &element)
		if err != nil {
			return nil, false
		}
		all, der = append(all, element), rest
	}
	return all, true
}

func begins(parts []asn1.RawValue, tags ...int) bool {
	if len(parts) < len(tags) {
		return false
	}
	for index, tag := range tags {
		if parts[index].Class != asn1.ClassUniversal || parts[index].Tag != tag {
			return false
		}
	}
	return true
}
