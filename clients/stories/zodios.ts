import { isErrorFromAlias } from '@zodios/core';
import { api, createApiClient } from '../out/zodios.js';
import { tell } from '../story.js';

await tell((baseUrl, token) => {
  const client = createApiClient(baseUrl, {
    axiosConfig: { headers: { Authorization: `Bearer ${token}` } },
    // It is the service that shall refuse.
    validate: false,
  });
  return {
    create: (plant) =>
      client.createPlant({ ...plant }).catch((error: unknown) => {
        if (isErrorFromAlias(api.api, 'createPlant', error)) return error.response.data;
        throw error;
      }),
    list: (limit) =>
      client.listPlants({ queries: { limit } }).catch((error: unknown) => {
        if (isErrorFromAlias(api.api, 'listPlants', error)) return error.response.data;
        throw error;
      }),
    delete: (id) =>
      client.deletePlant(undefined, { params: { id } }).then(
        () => undefined,
        (error: unknown) => {
          if (isErrorFromAlias(api.api, 'deletePlant', error)) return error.response.data;
          throw error;
        },
      ),
  };
});
