// The story of clients/story.ts, by the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"os"

	"openapi"
)

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("PLANTS_URL")}}
	plants := openapi.NewAPIClient(configuration).PlantsApi
	caller := callerWith(os.Getenv("PLANTS_TOKEN"))
	create := func(step string, plant openapi.NewPlant) {
		created, _, err := plants.CreatePlant(caller).NewPlant(plant).Execute()
		tell(step, created, err)
	}
	list := func(step string, request openapi.ApiListPlantsRequest) {
		listed, _, err := request.Execute()
		tell(step, listed, err)
	}
	remove := func(step string, id int64) {
		_, err := plants.DeletePlant(caller, id).Execute()
		tell(step, "nothing", err)
	}

	create("created", openapi.NewPlant{Id: math.MaxInt64, Name: "Monstera deliciosa", Tag: "climber"})
	create("another", openapi.NewPlant{Id: math.MinInt64, Name: "Ficus"})
	list("first", plants.ListPlants(caller).Limit(1))
	list("all", plants.ListPlants(caller))
	create("conflict", openapi.NewPlant{Id: math.MaxInt64, Name: "Fern"})
	create("badBody", openapi.NewPlant{Id: 9, Name: ""})
	list("badLimit", plants.ListPlants(caller).Limit(0))
	remove("deleted", math.MaxInt64)
	remove("absent", math.MaxInt64)
	list("refused", plants.ListPlants(callerWith("plant_x")))
}

func callerWith(token string) context.Context {
	return context.WithValue(context.Background(), openapi.ContextAccessToken, token)
}

func tell(step string, told interface{}, err error) {
	if err != nil {
		var failure openapi.GenericOpenAPIError
		if !errors.As(err, &failure) {
			log.Fatal(err)
		}
		typed, ok := failure.Model().(openapi.Error)
		if !ok {
			log.Fatalf("no Error: %s", failure.Body())
		}
		told = typed
	}
	line, err := json.Marshal(map[string]interface{}{step: told})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
}
