package wire

import (
	"regexp"
	"strconv"
	"time"
)

var (
	millisecondsForm = regexp.MustCompile(`^[0-9]{13}$`)
	isoForm          = regexp.MustCompile(
		`^([0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(?:\.([0-9]{1,9}))?(?:Z|([+-])([0-9]{2}):?([0-5][0-9]))$`)
)

// ParseTime parses a time header: 13 digits of milliseconds, or ISO 8601 with a time zone.
func ParseTime(text string) (time.Time, bool) {
	if millisecondsForm.MatchString(text) {
		ms, err := strconv.ParseInt(text, 10, 64)
		return time.UnixMilli(ms), err == nil
	}
	match := isoForm.FindStringSubmatch(text)
	if match == nil {
		return time.Time{}, false
	}
	at, err := time.Parse("2006-01-02T15:04:05", match[1])
	if err != nil {
		return time.Time{}, false
	}
	hours, minutes := number(match[4]), number(match[5])
	if hours*60+minutes > 14*60 {
		return time.Time{}, false
	}
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if match[3] == "-" {
		offset = -offset
	}
	fraction := (match[2] + "000")[:3]
	return at.Add(-offset).Add(time.Duration(number(fraction)) * time.Millisecond), true
}

// number parses digits that a pattern has matched; an empty string is zero.
func number(digits string) int {
	value, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return value
}

// WriteTime formats times like the gateway: whole seconds and a numeric offset.
func WriteTime(at time.Time) string {
	return at.UTC().Format("2006-01-02T15:04:05") + "+00:00"
}
