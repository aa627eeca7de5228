// Needs only Go's standard library. PLANTS_URL is the service's address, PLANTS_TOKEN an access token.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
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

func call(method, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequest(method, os.Getenv("PLANTS_URL")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("PLANTS_TOKEN"))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode < 400 {
		return answer, err
	}
	defer answer.Body.Close()
	var refused failure
	if err := json.NewDecoder(answer.Body).Decode(&refused); err != nil {
		return nil, err
	}
	return nil, refused
}

// create may repeat its request: the same plant twice is not a conflict.
func create(p newPlant, attempts int) error {
	body, err := json.Marshal(p)
	for attempt := 0; attempt < attempts && err == nil; attempt++ {
		var answer *http.Response
		if answer, err = call("POST", "/plants", body); err == nil {
			return answer.Body.Close()
		}
		if refused, ok := err.(failure); ok && refused.Status < 500 {
			return err
		}
		time.Sleep(100 * time.Millisecond << attempt)
		if attempt < attempts-1 {
			err = nil
		}
	}
	return err
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
	if err := create(newPlant{id, plant{"Monstera deliciosa", &tag}}, 5); err != nil {
		log.Fatal(err)
	}
	err := list(func(p plant) {
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
