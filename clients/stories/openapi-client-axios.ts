import { isAxiosError } from 'axios';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import type { Client, Components } from '../out/openapi-client-axios.js';
import { tell } from '../story.js';

type Failure = Components.Schemas.Error;

// It makes its client while the program runs, of the document itself.
const definition = `${process.env['PLANTS_URL']}/openapi.json`;
const client = await new OpenAPIClientAxios({ definition }).init<Client>();

await tell((baseURL, token) => {
  const options = { baseURL, headers: { Authorization: `Bearer ${token}` } };
  /** The error of axios has no type for the body: the document's has to be said by hand. */
  const read = <Data>(answer: Promise<{ data: Data }>): Promise<Data | Failure> =>
    answer
      .then(({ data }) => data)
      .catch((error: unknown) => {
        if (isAxiosError<Failure>(error) && error.response !== undefined) return error.response.data;
        throw error;
      });
  return {
    create: (plant) => read(client.createPlant(null, plant, options)),
    list: (limit) => read(client.listPlants({ limit }, null, options)),
    // Of a 204 it makes an empty text, and its type an empty object.
    delete: (id) => read(client.deletePlant(id, null, options).then(() => ({ data: undefined }))),
  };
});
