package api

import (
	"errors"
	"fmt"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/muster-fleet/muster/internal/state/text"
)

// strictJSON reads and writes JSON. Unlike the protocol's own, it refuses a key
// that it does not know, because a command half understood is another command;
// and it writes figures that are zero, because zero is an answer.
type strictJSON struct{ name string }

func notMessage(m any) error { return fmt.Errorf("a %T is no message", m) }

// withCodecs are the encodings of requests and answers: protobuf's own, and JSON under both
// names that the protocol gives it. Each counts what a request holds before it is decoded.
func withCodecs() connect.HandlerOption {
	return connect.WithHandlerOptions(
		connect.WithCodec(countedProto{}),
		connect.WithCodec(strictJSON{"json"}),
		connect.WithCodec(strictJSON{"json; charset=utf-8"}),
	)
}

var writeJSON = protojson.MarshalOptions{EmitDefaultValues: true}

// Name is part of connect.Codec.
func (c strictJSON) Name() string { return c.name }

// Marshal is part of connect.Codec.
func (c strictJSON) Marshal(message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, notMessage(message)
	}
	return writeJSON.Marshal(m)
}

// Unmarshal is part of connect.Codec.
func (c strictJSON) Unmarshal(data []byte, message any) error {
	m, ok := message.(proto.Message)
	switch {
	case !ok:
		return notMessage(message)
	case len(data) == 0:
		return errors.New("nothing was sent; the smallest message is {}")
	}
	if err := new(tally).text(data); err != nil {
		return err
	}
	return shortly(protojson.Unmarshal(data, m))
}

// mostOfMistake is how many characters tell what of a text is no message. The protocol's own words
// repeat the value that is wrong: four megabytes of a request would be four of an answer.
const mostOfMistake = 500

// shortly is an error whose text is of bounded length.
func shortly(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(text.Clip(err.Error(), mostOfMistake))
}
