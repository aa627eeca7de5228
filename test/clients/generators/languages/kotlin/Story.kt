/** The story of clients/story.ts, by the client that openapi-generator makes for Kotlin. */
import org.openapitools.client.apis.PlantsApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.infrastructure.Serializer
import org.openapitools.client.models.Error
import org.openapitools.client.models.NewPlant
import org.openapitools.client.models.Plant

fun main() {
    val plants = PlantsApi(System.getenv("PLANTS_URL"))
    // One token for all clients of a process.
    ApiClient.accessToken = System.getenv("PLANTS_TOKEN")
    tell("created") { plants.createPlant(NewPlant("Monstera deliciosa", Long.MAX_VALUE, "climber")) }
    tell("another") { plants.createPlant(NewPlant("Ficus", Long.MIN_VALUE)) }
    tell("first") { typed(plants.listPlants(1)) }
    tell("all") { typed(plants.listPlants(null)) }
    tell("conflict") { plants.createPlant(NewPlant("Fern", Long.MAX_VALUE)) }
    tell("badBody") { plants.createPlant(NewPlant("", 9)) }
    tell("badLimit") { plants.listPlants(0) }
    tell("deleted") { plants.deletePlant(Long.MAX_VALUE) }
    tell("absent") { plants.deletePlant(Long.MAX_VALUE) }
    ApiClient.accessToken = "plant_x"
    tell("refused") { plants.listPlants(null) }
}

/** Its lists hold maps, whatever their type says. */
fun typed(listed: List<*>): List<Plant> =
    Serializer.gson.fromJson(Serializer.gson.toJson(listed), Array<Plant>::class.java).toList()

fun tell(step: String, call: () -> Any) {
    val told = try {
        call()
    } catch (failure: ClientException) {
        // It has the body as text; the serializer is the client's own.
        val body = (failure.response as ClientError<*>).body as String
        Serializer.gson.fromJson(body, Error::class.java)
    }
    println(Serializer.gson.toJson(mapOf(step to if (told == Unit) "nothing" else told)))
}
