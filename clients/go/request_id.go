package tollgate

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
)

var prefixForm = regexp.MustCompile(`^[\x21-\x7e]{1,30}$`)

// NewRequestID creates an id for a request. Store it with the order before the call, because a retry must use
// the same id. The prefix is for people, such as the order number. It is omitted if it is not 1 to 30 visible
// ASCII characters.
func NewRequestID(prefix string) string {
	if !prefixForm.MatchString(prefix) {
		prefix = "r"
	}
	var random [16]byte
	// The error is ignored: since Go 1.24, rand.Read never fails, and missing randomness ends the program.
	_, _ = rand.Read(random[:])
	return prefix + "-" + hex.EncodeToString(random[:])
}
