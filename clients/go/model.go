package tollgate

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Ptr returns a pointer to a value, for optional numbers and flags, where zero and false are values.
func Ptr[T any](value T) *T { return &value }

// readObject reads the fields of a JSON object. Null is the same as absent, and unknown fields are kept.
func readObject(data []byte, extra *map[string]json.RawMessage, placeOf func(name string) any) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	for name, value := range fields {
		if string(value) == "null" {
			continue
		}
		if place := placeOf(name); place != nil {
			if err := json.Unmarshal(value, place); err != nil {
				return err
			}
			continue
		}
		if *extra == nil {
			*extra = map[string]json.RawMessage{}
		}
		(*extra)[name] = value
	}
	return nil
}

// writeObject writes a model without its methods, followed by its unknown fields.
func writeObject(plain any, extra map[string]json.RawMessage) ([]byte, error) {
	written, err := writeJSON(plain)
	if err != nil || len(extra) == 0 {
		return written, err
	}
	var known map[string]json.RawMessage
	if err := json.Unmarshal(written, &known); err != nil {
		return nil, err
	}
	var all bytes.Buffer
	all.Write(written[:len(written)-1])
	isFirst := len(known) == 0
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if _, isWritten := known[name]; isWritten {
			continue
		}
		quoted, err := writeJSON(name)
		if err != nil {
			return nil, err
		}
		if !isFirst {
			all.WriteByte(',')
		}
		isFirst = false
		all.Write(quoted)
		all.WriteByte(':')
		all.Write(extra[name])
	}
	all.WriteByte('}')
	return all.Bytes(), nil
}

// writeJSON does not escape HTML characters, so that logs show the text that was sent.
func writeJSON(value any) ([]byte, error) {
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(written.Bytes(), []byte("\n")), nil
}

// withoutNulls returns the same JSON without nulls: on the wire, null and absent are equivalent.
func withoutNulls(data []byte) ([]byte, error) {
	if !bytes.Contains(data, []byte("null")) {
		return data, nil
	}
	value, err := readAny(data)
	if err != nil {
		return nil, err
	}
	return writeJSON(stripped(value))
}

func readAny(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	// Numbers are kept as text, so that no digit is lost.
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

func stripped(value any) any {
	switch value := value.(type) {
	case []any:
		kept := make([]any, 0, len(value))
		for _, each := range value {
			if each != nil {
				kept = append(kept, stripped(each))
			}
		}
		return kept
	case map[string]any:
		for name, each := range value {
			if each == nil {
				delete(value, name)
			} else {
				value[name] = stripped(each)
			}
		}
	}
	return value
}
