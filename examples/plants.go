// Needs only Go's standard library. PLANTS_URL is the service's address, PLANTS_TOKEN an access token.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

type plant struct {
	Name string  `json:"name"`
	Tag  *string `json:"tag,omitempty"`
}

type newPlant struct {
	ID int64 `json:"id"`
	plant
}

// failure is an Error of the contract.
type failure struct {
	Status  int    `json:"error"`
	Message string `json:"message"`
}

func (f failure) Error() string { return fmt.Sprintf("%d: %s", f.Status, f.Message) }

func environment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func send(method, path string, body []byte) (*http.Response, error) {
	url := environment("PLANTS_URL", "http://127.0.0.1:3000") + path
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("PLANTS_TOKEN"))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return http.DefaultClient.Do(request)
}

// call repeats a request whose answer was lost, was a 429 or had a status of 500 or more. A create may be repeated:
// the same plant twice is not a conflict.
func call(method, path string, body []byte) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		answer, err := send(method, path, body)
		if err == nil && answer.StatusCode < 400 {
			return answer, nil
		}
		pause := 100 * time.Millisecond << attempt
		if err == nil {
			if seconds, wrong := strconv.Atoi(answer.Header.Get("Retry-After")); wrong == nil {
				pause = time.Duration(seconds) * time.Second
			}
			var refused failure
			if err = json.NewDecoder(answer.Body).Decode(&refused); err == nil {
				err = refused
			}
			answer.Body.Close()
			if answer.StatusCode == 404 && method == "DELETE" && attempt > 0 {
				return answer, nil // The delete whose answer was lost has been carried out.
			}
			if answer.StatusCode < 500 && answer.StatusCode != 429 {
				return nil, err
			}
		}
		if attempt == 4 {
			return nil, err
		}
		time.Sleep(pause)
	}
}

// list reads one plant at a time, so the list may be of any length.
func list(each func(plant)) error {
	answer, err := call("GET", "/plants", nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	decoder := json.NewDecoder(answer.Body)
	if _, err = decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		var p plant
		if err = decoder.Decode(&p); err != nil {
			return err
		}
		each(p)
	}
	_, err = decoder.Token() // Without the closing bracket, the list is incomplete.
	return err
}

func main() {
	const id = 9007199254740993
	tag := "climber"
	body, err := json.Marshal(newPlant{id, plant{"Monstera deliciosa", &tag}})
	if err != nil {
		log.Fatal(err)
	}
	created, err := call("POST", "/plants", body)
	if err != nil {
		log.Fatal(err)
	}
	created.Body.Close()
	err = list(func(p plant) {
		tag := ""
		if p.Tag != nil {
			tag = *p.Tag
		}
		fmt.Println(p.Name, tag)
	})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := call("DELETE", fmt.Sprintf("/plants/%d", id), nil)
	if err != nil {
		log.Fatal(err)
	}
	answer.Body.Close()
}
