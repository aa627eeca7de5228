import { Api, type Error as Failure, type HttpResponse } from '../out/swagger-typescript-api/api.js';
import { tell } from '../story.js';

await tell((baseUrl, token) => {
  const { plants } = new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${token}` } } });
  /** What it throws is the response, with the documented error in it. */
  const read = <Data>(answer: Promise<HttpResponse<Data, Failure>>) =>
    answer.then(({ data }) => data).catch(({ error }: HttpResponse<Data, Failure>) => error);
  return {
    create: (plant) => read(plants.createPlant(plant)),
    list: (limit) => read(plants.listPlants({ limit })),
    // It reads no body of an operation whose success has none, unless it is told to.
    delete: async (id) => (await read(plants.deletePlant(id, { format: 'json' }))) || undefined,
  };
});
