// Reads a log by the packages that the Go project reads its own checksum database with: the checkpoint as a signed note, and tiles as
// C2SP tlog-tiles names them. Prints what it proved, or exits with 1 and says what does not hold.
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type task struct {
	// The log's address, its verifier key, and an older checkpoint of it.
	Base, Vkey, Older string
	// The place of an entry, the entry itself, and a C2SP tlog-proof of it.
	Index int64
	Entry []byte
	Proof string
}

type tiles struct{ base string }

func (tiles) Height() int                               { return 8 }
func (tiles) SaveTiles(tiles []tlog.Tile, data [][]byte) {}

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	read := make([][]byte, len(wanted))
	for i, tile := range wanted {
		data, err := get(t.base + "/log/tile/" + strings.TrimPrefix(tile.Path(), "tile/8/"))
		if err != nil {
			return nil, err
		}
		read[i] = data
	}
	return read, nil
}

func get(url string) ([]byte, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %d", url, answer.StatusCode)
	}
	return io.ReadAll(answer.Body)
}

func open(checkpoint []byte, vkey string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(checkpoint, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, errors.New("it is no checkpoint of " + verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// The inclusion proof of a tlog-proof, with the tree that its checkpoint signs.
func checkProof(text, vkey string, leaf tlog.Hash) error {
	head, checkpoint, found := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if !found || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return errors.New("it is no tlog-proof")
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	if err != nil {
		return err
	}
	var proof tlog.RecordProof
	for _, line := range lines[2:] {
		bytes, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(bytes) != tlog.HashSize {
			return errors.New("a line of the proof is no hash")
		}
		proof = append(proof, tlog.Hash(bytes))
	}
	tree, err := open([]byte(checkpoint), vkey)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, tree.N, tree.Hash, index, leaf)
}

func run(given task) (map[string]int64, error) {
	checkpoint, err := get(given.Base + "/log/checkpoint")
	if err != nil {
		return nil, err
	}
	newest, err := open(checkpoint, given.Vkey)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	older, err := open([]byte(given.Older), given.Vkey)
	if err != nil {
		return nil, fmt.Errorf("older checkpoint: %w", err)
	}
	// Holds every tile against the root that was signed.
	hashes := tlog.TileHashReader(newest, tiles{given.Base})
	leaf := tlog.RecordHash(given.Entry)
	inclusion, err := tlog.ProveRecord(newest.N, given.Index, hashes)
	if err != nil {
		return nil, fmt.Errorf("inclusion: %w", err)
	}
	if err := tlog.CheckRecord(inclusion, newest.N, newest.Hash, given.Index, leaf); err != nil {
		return nil, fmt.Errorf("inclusion: %w", err)
	}
	growth, err := tlog.ProveTree(newest.N, older.N, hashes)
	if err != nil {
		return nil, fmt.Errorf("consistency: %w", err)
	}
	if err := tlog.CheckTree(growth, newest.N, newest.Hash, older.N, older.Hash); err != nil {
		return nil, fmt.Errorf("consistency: %w", err)
	}
	if err := checkProof(given.Proof, given.Vkey, leaf); err != nil {
		return nil, fmt.Errorf("tlog-proof: %w", err)
	}
	return map[string]int64{"older": older.N, "newest": newest.N}, nil
}

func main() {
	var given task
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	proven, err := run(given)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(proven)
}
