// @ts-expect-error It has no types: all that it returns is `any`.
import SwaggerClient from 'swagger-client';
import { exactBody, exactId, tell } from '../story.js';

// It makes its client while the program runs, of the document itself.
const url = `${process.env['PLANTS_URL']}/openapi.json`;

await tell((_url, token) => {
  const client = new SwaggerClient({ url, authorizations: { bearerAuth: { value: token } } });
  const read = async (operation: string, parameters: object, options?: object) => {
    const { apis } = await client;
    const answer = await apis.plants[operation](parameters, options).catch(
      ({ response }: { response: unknown }) => response,
    );
    return answer.body;
  };
  return {
    create: (plant) => read('createPlant', {}, { requestBody: exactBody(plant) }),
    list: (limit) => read('listPlants', { limit }),
    delete: (id) => read('deletePlant', { id: exactId(id) }),
  };
});
