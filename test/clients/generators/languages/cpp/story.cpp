/// The story of clients/story.ts, by the client that openapi-generator makes for C++.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "api/PlantsApi.h"

using namespace org::openapitools::client::api;
using namespace org::openapitools::client::model;
using web::json::value;

static PlantsApi connect(const std::string &token) {
  auto configuration = std::make_shared<ApiConfiguration>();
  configuration->setBaseUrl(std::getenv("PLANTS_URL"));
  // It knows no bearer tokens.
  configuration->getDefaultHeaders()["Authorization"] = "Bearer " + token;
  return PlantsApi(std::make_shared<ApiClient>(configuration));
}

static std::shared_ptr<NewPlant> plant(int64_t id, const std::string &name) {
  auto made = std::make_shared<NewPlant>();
  made->setId(id);
  made->setName(name);
  return made;
}

static value error_of(const ApiException &failure) {
  // It has the body as a stream; how the client itself makes its types of one.
  Error error;
  if (!error.fromJson(value::parse(*failure.getContent()))) throw failure;
  return error.toJson();
}

static void tell(const std::string &step, const std::function<value()> &call) {
  value told;
  try {
    told = call();
  } catch (const ApiException &failure) {
    told = error_of(failure);
  }
  std::cout << value::object({{step, told}}) << std::endl;
}

int main() {
  const PlantsApi plants = connect(std::getenv("PLANTS_TOKEN"));
  const auto create = [&](std::shared_ptr<NewPlant> made) {
    return [&plants, made] { return plants.createPlant(made).get()->toJson(); };
  };
  const auto list = [](const PlantsApi &caller, boost::optional<int32_t> limit) {
    return [&caller, limit] { return ModelBase::toJson(caller.listPlants(limit).get()); };
  };
  const auto remove = [&](int64_t id) {
    return [&plants, id] { return plants.deletePlant(id).get(), value("nothing"); };
  };

  const auto tagged = plant(INT64_MAX, "Monstera deliciosa");
  tagged->setTag("climber");
  tell("created", create(tagged));
  tell("another", create(plant(INT64_MIN, "Ficus")));
  tell("first", list(plants, 1));
  tell("all", list(plants, boost::none));
  tell("conflict", create(plant(INT64_MAX, "Fern")));
  tell("badBody", create(plant(9, "")));
  tell("badLimit", list(plants, 0));
  tell("deleted", remove(INT64_MAX));
  tell("absent", remove(INT64_MAX));
  const PlantsApi stranger = connect("plant_x");
  tell("refused", list(stranger, boost::none));
}
