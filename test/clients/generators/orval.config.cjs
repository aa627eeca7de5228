/** Its defaults, but for the client: fetch, at the address that the document names. Of a module, it reads nothing. */
module.exports = {
  plants: {
    input: './out/openapi.json',
    output: {
      target: './out/orval.ts',
      client: 'fetch',
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
};
