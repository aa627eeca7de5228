import { createApi, fetchBaseQuery } from '@reduxjs/toolkit/query';

/** To whom the requests go, and from whom they come: the client that is generated has neither. */
export const caller = { url: '', token: '' };

/** What its user writes, and the generated operations are added to. */
export const api = createApi({
  baseQuery: (request, query, options) =>
    fetchBaseQuery({
      baseUrl: caller.url,
      prepareHeaders: (headers) => headers.set('Authorization', `Bearer ${caller.token}`),
    })(request, query, options),
  endpoints: () => ({}),
});
