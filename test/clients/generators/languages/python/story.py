"""The story of clients/story.ts, by the client that openapi-generator makes for Python."""

import json
import os

from openapi_client import ApiClient, ApiException, Configuration, Error, NewPlant, PlantsApi

# The ends of int64.
FIRST, LAST = -(2**63), 2**63 - 1


class Client:
    def __init__(self, token):
        configuration = Configuration(host=os.environ["PLANTS_URL"])
        # Its constructor has no parameter for the token, although its own example uses one.
        configuration.access_token = token
        # It is the service that shall refuse.
        configuration.client_side_validation = False
        self.configuration = configuration
        self.client = ApiClient(configuration)
        self.plants = PlantsApi(self.client)

    def plant(self, **members):
        return NewPlant(local_vars_configuration=self.configuration, **members)

    def tell(self, step, call):
        try:
            told = call()
        except ApiException as failure:
            told = self.error(failure)
        print(json.dumps({step: "nothing" if told is None else self.client.sanitize_for_serialization(told)}))

    def error(self, failure):
        """The exception has the body as text; this is how the client itself makes its types of one."""
        failure.data = failure.body
        error = self.client.deserialize(failure, "Error")
        assert isinstance(error, Error) and error.error == failure.status
        return error


client = Client(os.environ["PLANTS_TOKEN"])
plants, plant, tell = client.plants, client.plant, client.tell
tell("created", lambda: plants.create_plant(plant(id=LAST, name="Monstera deliciosa", tag="climber")))
tell("another", lambda: plants.create_plant(plant(id=FIRST, name="Ficus")))
tell("first", lambda: plants.list_plants(limit=1))
tell("all", lambda: plants.list_plants())
tell("conflict", lambda: plants.create_plant(plant(id=LAST, name="Fern")))
tell("badBody", lambda: plants.create_plant(plant(id=9, name="")))
tell("badLimit", lambda: plants.list_plants(limit=0))
tell("deleted", lambda: plants.delete_plant(LAST))
tell("absent", lambda: plants.delete_plant(LAST))
stranger = Client("plant_x")
stranger.tell("refused", lambda: stranger.plants.list_plants())
