// A plant store as a Go programmer would write it by hand that does the same work as the service: net/http,
// encoding/json, a pgx pool of 64. It is the straightforward way: each request sends its own statement.
//
// It does this work for each request:
//   - It writes one line of JSON to stdout at once, whose members are those of the service's line.
//   - It takes over the caller's X-Request-Id if that may be logged, and makes one otherwise.
//   - It sets Cache-Control, X-Content-Type-Options and X-Request-Id on every answer, and WWW-Authenticate on a 401.
//   - It finds the owner of the token by its SHA-256, and caches a valid token for 4 s, or until it expires.
//   - It validates path, query and body, and answers every failure with the contract's Error body.
//   - It answers a repeated create with 200 if the plant is the same, and with 409 otherwise.
//
// It leaves out what takes a parser of its own: JSON is read by encoding/json, so it takes a null for a tag that is
// missing, reads names of members in any case, and does not see a member that comes twice or half of a surrogate
// pair. The cache of tokens is emptied when it is full. A list is written while it is read.
//
// This file is frozen: README.md in the folder above says why.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"mime"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

const (
	insertPlant = "INSERT INTO plants (owner, id, name, tag) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
	findPlant   = "SELECT name, tag FROM plants WHERE owner = $1 AND id = $2"
	deletePlant = "DELETE FROM plants WHERE owner = $1 AND id = $2"
	selectSome  = "SELECT name, tag FROM plants WHERE owner = $1 ORDER BY id LIMIT $2"
	selectAll   = "SELECT name, tag FROM plants WHERE owner = $1 ORDER BY id"
	findToken   = `SELECT owner, (extract(epoch FROM expires_at - now()) * 1000)::float8 FROM access_tokens
		WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`

	tokenLifetime = 4 * time.Second
	maxTokens     = 10_000
	maxBody       = 65_536
	maxText       = 255

	invalidToken = "The access token is malformed, unknown, expired or revoked."
	realm        = `Bearer realm="Plant Store"`
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
	requests requestLog
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
	s := &server{pool: pool, sessions: map[[sha256.Size]byte]session{}, requests: newRequestLog()}
	mux := http.NewServeMux()
	mux.HandleFunc("/plants", s.plants)
	mux.HandleFunc("/plants/", s.plant)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "There is nothing at this path.")
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "ready at http://%s\n", listener.Addr())
	handler := s.requests.logged(mux)
	log.Fatal((&http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}).Serve(listener))
}

// The line of a request.

type line struct {
	Level        int             `json:"level"`
	Time         int64           `json:"time"`
	Pid          int             `json:"pid"`
	Hostname     string          `json:"hostname"`
	Request      requestMembers  `json:"req"`
	Response     responseMembers `json:"res"`
	Milliseconds float64         `json:"milliseconds"`
	Message      string          `json:"msg"`
}

type requestMembers struct {
	ID         string            `json:"id"`
	Method     string            `json:"method"`
	Route      string            `json:"route,omitempty"`
	Parameters map[string]string `json:"parameters,omitempty"`
	PathLength int               `json:"pathLength,omitempty"`
	IP         string            `json:"ip"`
	Owner      string            `json:"owner,omitempty"`
	TraceID    string            `json:"traceId,omitempty"`
	RequestID  string            `json:"requestId,omitempty"`
}

type responseMembers struct {
	StatusCode int   `json:"statusCode"`
	Bytes      int64 `json:"bytes"`
}

type requestLog struct {
	pid      int
	hostname string
	prefix   string
	count    *uint64
	mutex    *sync.Mutex
}

func newRequestLog() requestLog {
	hostname, err := os.Hostname()
	if err != nil {
		log.Fatal(err)
	}
	prefix := make([]byte, 6)
	if _, err := rand.Read(prefix); err != nil {
		log.Fatal(err)
	}
	return requestLog{
		pid:      os.Getpid(),
		hostname: hostname,
		prefix:   base64.RawURLEncoding.EncodeToString(prefix) + "-",
		count:    new(uint64),
		mutex:    new(sync.Mutex),
	}
}

var (
	requestIDForm   = regexp.MustCompile(`^[\w.:/+=@-]{1,100}$`)
	tokenForm       = regexp.MustCompile(`plant_[0-9A-Za-z]|eyJ[\w-]+\.[\w-]+\.[\w-]*`)
	traceparentForm = regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}`)
)

// recorder remembers what is logged of an answer.
type recorder struct {
	http.ResponseWriter
	owner string
	// Those of the URL, once they are known to fit.
	parameters map[string]string
	status     int
	bytes      int64
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(data []byte) (int, error) {
	written, err := r.ResponseWriter.Write(data)
	r.bytes += int64(written)
	return written, err
}

func (l requestLog) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		request := l.describe(r)
		answerID := request.ID
		if request.RequestID != "" {
			answerID = request.RequestID
		}
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Request-Id", answerID)
		answer := &recorder{ResponseWriter: w, status: http.StatusOK}
		message := "answered in part"
		defer func() {
			request.Owner = answer.owner
			request.Parameters = answer.parameters
			l.write(line{
				Level:        30,
				Time:         time.Now().UnixMilli(),
				Pid:          l.pid,
				Hostname:     l.hostname,
				Request:      request,
				Response:     responseMembers{answer.status, answer.bytes},
				Milliseconds: float64(time.Since(begin).Microseconds()) / 1000,
				Message:      message,
			})
		}()
		next.ServeHTTP(answer, r)
		message = "answered"
	})
}

func (l requestLog) describe(r *http.Request) requestMembers {
	ip, _, _ := net.SplitHostPort(r.RemoteAddr)
	request := requestMembers{
		ID:     l.prefix + strconv.FormatUint(atomic.AddUint64(l.count, 1), 10),
		Method: r.Method,
		IP:     ip,
	}
	// No text of a URL gets into the log: the route does, and parameters that fit.
	switch path := r.URL.Path; {
	case path == "/plants":
		request.Route = path
	case strings.HasPrefix(path, "/plants/"):
		request.Route = "/plants/:id"
	default:
		request.PathLength = len(path)
	}
	if id := r.Header.Get("X-Request-Id"); requestIDForm.MatchString(id) && !tokenForm.MatchString(id) {
		request.RequestID = id
	}
	if traceparent := r.Header.Get("Traceparent"); traceparent != "" {
		if found := traceparentForm.FindStringSubmatch(traceparent); found != nil {
			request.TraceID = found[1]
		}
	}
	return request
}

func (l requestLog) write(entry line) {
	text, err := json.Marshal(entry)
	if err != nil {
		log.Print(err)
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_, _ = os.Stdout.Write(append(text, '\n'))
}

// Who is calling.

// owner answers with a 401 or a 500 if it does not know the owner, and then returns false.
func (s *server) owner(w http.ResponseWriter, r *http.Request) (string, bool) {
	scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		w.Header().Set("WWW-Authenticate", realm)
		fail(w, http.StatusUnauthorized, `Send an access token in the header "Authorization: Bearer …".`)
		return "", false
	}
	owner, err := s.ownerOf(r.Context(), token)
	if errors.Is(err, pgx.ErrNoRows) {
		reason := `, error="invalid_token", error_description="` + invalidToken + `"`
		w.Header().Set("WWW-Authenticate", realm+reason)
		fail(w, http.StatusUnauthorized, invalidToken)
		return "", false
	}
	if err != nil {
		failUnexpectedly(w, err)
		return "", false
	}
	if answer, isRecorded := w.(*recorder); isRecorded {
		answer.owner = owner
	}
	return owner, true
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
	var remaining *float64
	if err := s.pool.QueryRow(ctx, findToken, hash[:]).Scan(&owner, &remaining); err != nil {
		return "", err
	}
	lifetime := tokenLifetime
	if remaining != nil {
		lifetime = time.Duration(math.Min(*remaining*float64(time.Millisecond), float64(tokenLifetime)))
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.sessions) >= maxTokens {
		s.sessions = map[[sha256.Size]byte]session{}
	}
	s.sessions[hash] = session{owner, now.Add(lifetime)}
	return owner, nil
}

// The three operations.

func (s *server) plants(w http.ResponseWriter, r *http.Request) {
	operation := s.create
	switch r.Method {
	case http.MethodPost:
	case http.MethodGet:
		operation = s.list
	default:
		refuseMethod(w, "GET, POST")
		return
	}
	if owner, isKnown := s.owner(w, r); isKnown {
		operation(w, r, owner)
	}
}

func (s *server) plant(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodDelete {
		refuseMethod(w, "DELETE")
		return
	}
	if owner, isKnown := s.owner(w, r); isKnown {
		s.delete(w, r, owner)
	}
}

func (s *server) create(w http.ResponseWriter, r *http.Request, owner string) {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, "The Content-Type must be application/json.")
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		fail(w, http.StatusRequestEntityTooLarge, "The body is larger than 65536 bytes.")
		return
	}
	var body newPlant
	if err != nil || !utf8.Valid(text) || json.Unmarshal(text, &body) != nil {
		fail(w, http.StatusBadRequest, "The body is not a NewPlant, or not JSON.")
		return
	}
	if body.ID == nil || body.Name == "" || !fits(body.Name) || (body.Tag != nil && !fits(*body.Tag)) {
		fail(w, http.StatusBadRequest, "The body must have an id and a name, and no text that is too long.")
		return
	}
	for {
		result, err := s.pool.Exec(r.Context(), insertPlant, owner, *body.ID, body.Name, body.Tag)
		if err != nil {
			failUnexpectedly(w, err)
			return
		}
		if result.RowsAffected() == 1 {
			answer(w, http.StatusOK, body.plant)
			return
		}
		var stored plant
		err = s.pool.QueryRow(r.Context(), findPlant, owner, *body.ID).Scan(&stored.Name, &stored.Tag)
		if errors.Is(err, pgx.ErrNoRows) {
			// Another request has deleted the plant in between.
			continue
		}
		if err != nil {
			failUnexpectedly(w, err)
			return
		}
		if !isSame(stored, body.plant) {
			fail(w, http.StatusConflict, "A plant with this id and other content exists already.")
			return
		}
		answer(w, http.StatusOK, stored)
		return
	}
}

// Rows are written as they come, so that a list of any length takes little memory.
func (s *server) list(w http.ResponseWriter, r *http.Request, owner string) {
	query, values := selectAll, []interface{}{owner}
	if texts, isGiven := r.URL.Query()["limit"]; isGiven {
		limit, isPlain := plainInteger(texts[0])
		if len(texts) > 1 || !isPlain || limit < 1 || limit > math.MaxInt32 {
			fail(w, http.StatusBadRequest, "query/limit must be an integer from 1 to 2147483647.")
			return
		}
		query, values = selectSome, append(values, limit)
		remember(w, "limit", limit)
	}
	rows, err := s.pool.Query(r.Context(), query, values...)
	if err != nil {
		failUnexpectedly(w, err)
		return
	}
	defer rows.Close()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	output := bufio.NewWriterSize(w, 32*1024)
	separator := "["
	for rows.Next() {
		var row plant
		if err = rows.Scan(&row.Name, &row.Tag); err != nil {
			break
		}
		_, _ = output.WriteString(separator)
		separator = ","
		_, _ = output.Write(encode(row))
	}
	if err != nil || rows.Err() != nil {
		// The answer has begun: what is left is to break it off.
		panic(http.ErrAbortHandler)
	}
	if separator == "[" {
		_, _ = output.WriteString("[")
	}
	_, _ = output.WriteString("]")
	_ = output.Flush()
}

func (s *server) delete(w http.ResponseWriter, r *http.Request, owner string) {
	id, isPlain := plainInteger(strings.TrimPrefix(r.URL.Path, "/plants/"))
	if !isPlain {
		fail(w, http.StatusBadRequest,
			"path/id must be an integer from -9223372036854775808 to 9223372036854775807.")
		return
	}
	remember(w, "id", id)
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

// remember keeps a parameter that fits for the log.
func remember(w http.ResponseWriter, name string, value int64) {
	if answer, is := w.(*recorder); is {
		answer.parameters = map[string]string{name: strconv.FormatInt(value, 10)}
	}
}

// plainInteger refuses +7 and 007, which strconv reads.
func plainInteger(text string) (int64, bool) {
	value, err := strconv.ParseInt(text, 10, 64)
	return value, err == nil && (strconv.FormatInt(value, 10) == text || text == "-0")
}

func fits(text string) bool {
	return utf8.RuneCountInString(text) <= maxText && !strings.ContainsRune(text, 0)
}

func isSame(a, b plant) bool {
	if a.Tag == nil || b.Tag == nil {
		return a.Name == b.Name && a.Tag == b.Tag
	}
	return a.Name == b.Name && *a.Tag == *b.Tag
}

// Answers.

// encode writes <, > and & as they are, which json.Marshal does not.
func encode(value interface{}) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

func answer(w http.ResponseWriter, status int, body interface{}) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(encode(body))
}

func fail(w http.ResponseWriter, status int, message string) {
	answer(w, status, failure{status, message})
}

func failUnexpectedly(w http.ResponseWriter, err error) {
	log.Print(err)
	fail(w, http.StatusInternalServerError, "The server failed to answer this request.")
}

func refuseMethod(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	fail(w, http.StatusMethodNotAllowed, "This path has the methods "+allowed+".")
}
