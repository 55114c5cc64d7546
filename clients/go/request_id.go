package tollgate

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
)

var prefixForm = regexp.MustCompile(`^[\x21-\x7e]{1,30}$`)

// NewRequestID makes a new id for a request, to be kept with the order before the call is made: whoever repeats a call needs the
// same one. The prefix is for people, such as the number of the order; one that is not 1 to 30 visible ASCII characters is left out.
func NewRequestID(prefix string) string {
	if !prefixForm.MatchString(prefix) {
		prefix = "r"
	}
	var random [16]byte
	// It never fails: since Go 1.24, a machine without randomness ends the program.
	_, _ = rand.Read(random[:])
	return prefix + "-" + hex.EncodeToString(random[:])
}
