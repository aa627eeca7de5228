//! The story of clients/story.ts, by the client that openapi-generator makes for Rust.

use openapi::apis::configuration::Configuration;
use openapi::apis::plants_api::{
    create_plant, delete_plant, list_plants, CreatePlantError, DeletePlantError, ListPlantsError,
};
use openapi::apis::Error::{self, ResponseError};
use openapi::models::{self, NewPlant};
use serde::Serialize;
use serde_json::{json, Value};

/// The enums of errors are untagged, so each status arrives as the first variant, with the status in the Error.
trait Typed {
    fn error(self) -> models::Error;
}

impl Typed for CreatePlantError {
    fn error(self) -> models::Error {
        match self {
            CreatePlantError::Status400(error) => error,
            other => panic!("no Error: {:?}", other),
        }
    }
}

impl Typed for ListPlantsError {
    fn error(self) -> models::Error {
        match self {
            ListPlantsError::Status400(error) => error,
            other => panic!("no Error: {:?}", other),
        }
    }
}

impl Typed for DeletePlantError {
    fn error(self) -> models::Error {
        match self {
            DeletePlantError::Status400(error) => error,
            other => panic!("no Error: {:?}", other),
        }
    }
}

fn told<Data: Serialize, Failure: Typed + std::fmt::Debug>(answer: Result<Data, Error<Failure>>) -> Value {
    match answer {
        Ok(data) => json!(data),
        Err(ResponseError(response)) => json!(response.entity.expect("a typed body").error()),
        Err(other) => panic!("no answer: {:?}", other),
    }
}

fn plant(id: i64, name: &str, tag: Option<&str>) -> NewPlant {
    NewPlant { tag: tag.map(str::to_owned), ..NewPlant::new(name.to_owned(), id) }
}

fn connect(token: &str) -> Configuration {
    Configuration {
        base_path: std::env::var("PLANTS_URL").expect("PLANTS_URL"),
        bearer_access_token: Some(token.to_owned()),
        ..Configuration::default()
    }
}

async fn story() {
    let client = connect(&std::env::var("PLANTS_TOKEN").expect("PLANTS_TOKEN"));
    let tell = |step: &str, value: Value| println!("{}", json!({ step: value }));
    // What a delete returns is (), in JSON null.
    let deleted = |value: Value| if value.is_null() { json!("nothing") } else { value };
    tell("created", told(create_plant(&client, plant(i64::MAX, "Monstera deliciosa", Some("climber"))).await));
    tell("another", told(create_plant(&client, plant(i64::MIN, "Ficus", None)).await));
    tell("first", told(list_plants(&client, Some(1)).await));
    tell("all", told(list_plants(&client, None).await));
    tell("conflict", told(create_plant(&client, plant(i64::MAX, "Fern", None)).await));
    tell("badBody", told(create_plant(&client, plant(9, "", None)).await));
    tell("badLimit", told(list_plants(&client, Some(0)).await));
    tell("deleted", deleted(told(delete_plant(&client, i64::MAX).await)));
    tell("absent", deleted(told(delete_plant(&client, i64::MAX).await)));
    tell("refused", told(list_plants(&connect("plant_x"), None).await));
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(story());
}
