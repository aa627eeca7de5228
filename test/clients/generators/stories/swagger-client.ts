// @ts-expect-error It has no types: all that it returns is `any`.
import SwaggerClient from 'swagger-client';
import { tell } from '../story.js';

// It makes its client while the program runs, of the document itself.
const url = `${process.env['PLANTS_URL']}/openapi.json`;

await tell((_url, token) => {
  const client = new SwaggerClient({ url, authorizations: { bearerAuth: { value: token } } });
  const read = async (operation: string, parameters: object, options?: object) => {
    const { apis } = await client;
    const answer = await apis.plants[operation](parameters, options).catch(
      ({ response }: { response: { body: unknown } }) => {
        throw response.body;
      },
    );
    return answer.body;
  };
  return {
    // It sends a text as it is, so the digits of the id are written into the text.
    create: ({ id, ...plant }) =>
      read('createPlant', {}, { requestBody: `{"id":${id},${JSON.stringify(plant).slice(1)}` }),
    list: (limit) => read('listPlants', { limit }),
    delete: (id) => read('deletePlant', { id }),
  };
}, String);
