# The story of clients/story.ts, by the client that openapi-generator makes for Ruby.
require 'json'
require 'openapi_client'

# The ends of int64.
FIRST = -2**63
LAST = 2**63 - 1

def connect(token)
  configuration = OpenapiClient::Configuration.new do |its|
    its.host = ENV.fetch('PLANTS_URL')
    its.access_token = token
    # It is the service that shall refuse.
    its.client_side_validation = false
  end
  OpenapiClient::PlantsApi.new(OpenapiClient::ApiClient.new(configuration))
end

def plant(**members)
  OpenapiClient::NewPlant.new(members)
end

def tell(step)
  told =
    begin
      yield
    rescue OpenapiClient::ApiError => failure
      # It has the body as text.
      error = OpenapiClient::Error.build_from_hash(JSON.parse(failure.response_body, symbolize_names: true))
      raise failure unless error.error == failure.code

      error
    end
  told = told.is_a?(Array) ? told.map(&:to_hash) : told&.to_hash
  puts JSON.generate(step => told || 'nothing')
end

plants = connect(ENV.fetch('PLANTS_TOKEN'))
tell('created') { plants.create_plant(plant(id: LAST, name: 'Monstera deliciosa', tag: 'climber')) }
tell('another') { plants.create_plant(plant(id: FIRST, name: 'Ficus')) }
tell('first') { plants.list_plants(limit: 1) }
tell('all') { plants.list_plants }
tell('conflict') { plants.create_plant(plant(id: LAST, name: 'Fern')) }
# Its models refuse an empty name by themselves, whatever the setting; a hash in their place is sent as it is.
tell('badBody') { plants.create_plant({ id: 9, name: '' }) }
tell('badLimit') { plants.list_plants(limit: 0) }
tell('deleted') { plants.delete_plant(LAST) }
tell('absent') { plants.delete_plant(LAST) }
tell('refused') { connect('plant_x').list_plants }
