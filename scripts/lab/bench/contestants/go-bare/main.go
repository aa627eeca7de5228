// A plant store as a Go programmer would write it by hand, bare: net/http, encoding/json, a pgx pool. It checks the
// token, which it caches for 4 s, and validates the request. It logs nothing, sets no request id and none of the
// service's headers, and answers a repeated create with 409. ../go does the work of the service.
//
// This file is frozen: README.md in the folder above says why.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

const (
	insertPlant = "INSERT INTO plants (owner, id, name, tag) VALUES ($1, $2, $3, $4)"
	deletePlant = "DELETE FROM plants WHERE owner = $1 AND id = $2"
	selectSome  = "SELECT name, tag FROM plants WHERE owner = $1 ORDER BY id LIMIT $2"
	selectAll   = "SELECT name, tag FROM plants WHERE owner = $1 ORDER BY id"
	findToken   = `SELECT owner FROM access_tokens
		WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`

	tokenLifetime = 4 * time.Second
	largestBody   = 65536
	longestText   = 255
)

type plant struct {
	Name string  `json:"name"`
	Tag  *string `json:"tag,omitempty"`
}

type newPlant struct {
	ID *int64 `json:"id"`
	plant
}

type failure struct {
	Error   int    `json:"error"`
	Message string `json:"message"`
}

type session struct {
	owner string
	until time.Time
}

type server struct {
	pool     *pgxpool.Pool
	mutex    sync.RWMutex
	sessions map[[sha256.Size]byte]session
}

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	// Of 8, 16, 32 and 64 on two cores, the quickest for creates, and as quick as any other for the rest: commits
	// that wait for the disk together share its flush. pgx's own default is 4.
	config.MaxConns = 64
	pool, err := pgxpool.ConnectConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	s := &server{pool: pool, sessions: map[[sha256.Size]byte]session{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/plants", s.withOwner(s.plants))
	mux.HandleFunc("/plants/", s.withOwner(s.plant))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "ready at http://%s\n", listener.Addr())
	log.Fatal((&http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}).Serve(listener))
}

func (s *server) withOwner(next func(http.ResponseWriter, *http.Request, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := r.Header.Get("Authorization")
		token := strings.TrimPrefix(header, "Bearer ")
		if token == header {
			fail(w, http.StatusUnauthorized, "Send an access token.")
			return
		}
		owner, err := s.ownerOf(r.Context(), token)
		if errors.Is(err, pgx.ErrNoRows) {
			fail(w, http.StatusUnauthorized, "The access token is unknown.")
			return
		}
		if err != nil {
			failUnexpectedly(w, err)
			return
		}
		next(w, r, owner)
	}
}

func (s *server) ownerOf(ctx context.Context, token string) (string, error) {
	hash := sha256.Sum256([]byte(token))
	now := time.Now()
	s.mutex.RLock()
	known, found := s.sessions[hash]
	s.mutex.RUnlock()
	if found && now.Before(known.until) {
		return known.owner, nil
	}
	var owner string
	if err := s.pool.QueryRow(ctx, findToken, hash[:]).Scan(&owner); err != nil {
		return "", err
	}
	s.mutex.Lock()
	s.sessions[hash] = session{owner, now.Add(tokenLifetime)}
	s.mutex.Unlock()
	return owner, nil
}

func (s *server) plants(w http.ResponseWriter, r *http.Request, owner string) {
	switch r.Method {
	case http.MethodPost:
		s.create(w, r, owner)
	case http.MethodGet:
		s.list(w, r, owner)
	default:
		w.Header().Set("Allow", "GET, POST")
		fail(w, http.StatusMethodNotAllowed, "The method is not allowed.")
	}
}

func (s *server) plant(w http.ResponseWriter, r *http.Request, owner string) {
	if r.Method != http.MethodDelete {
		w.Header().Set("Allow", "DELETE")
		fail(w, http.StatusMethodNotAllowed, "The method is not allowed.")
		return
	}
	id, err := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/plants/"), 10, 64)
	if err != nil {
		fail(w, http.StatusBadRequest, "The id must be an integer.")
		return
	}
	result, err := s.pool.Exec(r.Context(), deletePlant, owner, id)
	if err != nil {
		failUnexpectedly(w, err)
		return
	}
	if result.RowsAffected() == 0 {
		fail(w, http.StatusNotFound, "There is no plant with this id.")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *server) create(w http.ResponseWriter, r *http.Request, owner string) {
	var body newPlant
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestBody)).Decode(&body); err != nil {
		fail(w, http.StatusBadRequest, "The body is no plant.")
		return
	}
	if body.ID == nil || body.Name == "" || !fits(body.Name) || (body.Tag != nil && !fits(*body.Tag)) {
		fail(w, http.StatusBadRequest, "The body is no plant.")
		return
	}
	_, err := s.pool.Exec(r.Context(), insertPlant, owner, *body.ID, body.Name, body.Tag)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "23505" {
		fail(w, http.StatusConflict, "A plant with this id exists already.")
		return
	}
	if err != nil {
		failUnexpectedly(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body.plant)
}

// Rows are written as they come, so that a list of any length takes little memory.
func (s *server) list(w http.ResponseWriter, r *http.Request, owner string) {
	query, values := selectAll, []interface{}{owner}
	if text := r.URL.Query().Get("limit"); text != "" {
		limit, err := strconv.ParseInt(text, 10, 32)
		if err != nil || limit < 1 {
			fail(w, http.StatusBadRequest, "The limit must be a positive integer.")
			return
		}
		query, values = selectSome, append(values, limit)
	}
	rows, err := s.pool.Query(r.Context(), query, values...)
	if err != nil {
		failUnexpectedly(w, err)
		return
	}
	defer rows.Close()
	w.Header().Set("Content-Type", "application/json")
	output := bufio.NewWriterSize(w, 32*1024)
	encoder := json.NewEncoder(output)
	separator := "["
	for rows.Next() {
		var row plant
		if err = rows.Scan(&row.Name, &row.Tag); err != nil {
			break
		}
		_, _ = io.WriteString(output, separator)
		separator = ","
		if err = encoder.Encode(row); err != nil {
			break
		}
	}
	if err != nil || rows.Err() != nil {
		// The answer has begun: what is left is to break it off.
		panic(http.ErrAbortHandler)
	}
	if separator == "[" {
		_, _ = io.WriteString(output, "[")
	}
	_, _ = io.WriteString(output, "]")
	_ = output.Flush()
}

func fits(text string) bool {
	return utf8.RuneCountInString(text) <= longestText && !strings.ContainsRune(text, 0)
}

func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(failure{status, message})
}

func failUnexpectedly(w http.ResponseWriter, err error) {
	log.Print(err)
	fail(w, http.StatusInternalServerError, "The server failed to answer this request.")
}
