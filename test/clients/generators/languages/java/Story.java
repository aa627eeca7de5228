import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.PlantsApi;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.NewPlant;

/** The story of clients/story.ts, by the client that openapi-generator makes for Java's own HttpClient. */
public final class Story {
  private interface Call {
    Object send() throws ApiException;
  }

  private static final ObjectMapper json = new ApiClient().getObjectMapper();

  public static void main(String[] arguments) throws Exception {
    PlantsApi plants = connect(System.getenv("PLANTS_TOKEN"));
    tell("created", () -> plants.createPlant(plant(Long.MAX_VALUE, "Monstera deliciosa").tag("climber")));
    tell("another", () -> plants.createPlant(plant(Long.MIN_VALUE, "Ficus")));
    tell("first", () -> plants.listPlants(1));
    tell("all", () -> plants.listPlants(null));
    tell("conflict", () -> plants.createPlant(plant(Long.MAX_VALUE, "Fern")));
    tell("badBody", () -> plants.createPlant(plant(9, "")));
    tell("badLimit", () -> plants.listPlants(0));
    tell("deleted", () -> plants.deletePlantWithHttpInfo(Long.MAX_VALUE).getData());
    tell("absent", () -> plants.deletePlantWithHttpInfo(Long.MAX_VALUE).getData());
    tell("refused", () -> connect("plant_x").listPlants(null));
  }

  private static PlantsApi connect(String token) {
    URI address = URI.create(System.getenv("PLANTS_URL"));
    ApiClient client = new ApiClient().setScheme(address.getScheme()).setHost(address.getHost());
    // It knows no bearer tokens.
    client.setPort(address.getPort()).setBasePath("");
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    return new PlantsApi(client);
  }

  private static NewPlant plant(long id, String name) {
    return new NewPlant().id(id).name(name);
  }

  private static void tell(String step, Call call) throws Exception {
    Object told;
    try {
      told = call.send();
    } catch (ApiException failure) {
      // It has the body as text; the mapper is the client's own.
      told = json.readValue(failure.getResponseBody(), Error.class);
    }
    System.out.println(json.writeValueAsString(Map.of(step, told == null ? "nothing" : told)));
  }
}
