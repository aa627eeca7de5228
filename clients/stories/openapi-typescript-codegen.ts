import {
  ApiError,
  type Error as Failure,
  OpenAPI,
  PlantsService,
} from '../out/openapi-typescript-codegen/index.js';
import { tell } from '../story.js';

await tell((url, token) => {
  /** The body of its ApiError is `any`: the document's type has to be said by hand. */
  const read = <Data>(send: () => Promise<Data>): Promise<Data | Failure> => {
    Object.assign(OpenAPI, { BASE: url, TOKEN: token });
    return send().catch((error: unknown): Failure => {
      if (error instanceof ApiError) return error.body;
      throw error;
    });
  };
  return {
    create: (plant) => read(() => PlantsService.createPlant(plant)),
    list: (limit) => read(() => PlantsService.listPlants(limit)),
    delete: async (id) => (await read(() => PlantsService.deletePlant(id))) ?? undefined,
  };
});
