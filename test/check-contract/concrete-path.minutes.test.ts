import { readFile } from 'node:fs/promises';
import t from 'tap';
import { check } from '../../packages/contract-tools/check.js';
import { readDocument } from '../../packages/contract-tools/index.js';
import { contractFile } from '../../packages/kit/index.js';
import { makeLog, type ServiceDefinition } from '../../packages/service/layer.js';
import { makeDatabase } from '../../packages/service/test/support/postgres/database.js';
import { serveOn } from '../../packages/service/test/support/running-service.js';
import { readContractText } from '../../packages/service-tools/index.js';
import { plantStore } from '../../src/plant-store.js';

// A check of the service takes some ten seconds on an idle machine.
t.setTimeout(600_000);

const countPlants = `  /plants/count:
    get:
      operationId: countPlants
      responses:
        "200":
          description: How many plants the caller has.
          content:
            application/json:
              schema: { type: object, required: [count], properties: { count: { type: integer, format: int64 } } }
              examples: { one: { value: { count: 1 } } }
        "400":
          description: The request is broken.
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Error" }
              examples: { broken: { value: { error: 400, message: The request is broken. } } }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "408": { $ref: "#/components/responses/RequestTimeout" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "500": { $ref: "#/components/responses/InternalServerError" }
        "503": { $ref: "#/components/responses/ServiceUnavailable" }
`;

t.test('a concrete path beside a templated one passes check:contract', async (t) => {
  const text = await readFile(contractFile, 'utf8');
  const contract = await readContractText(
    text.replace('  /plants/{id}:', () => `${countPlants}  /plants/{id}:`),
    contractFile,
  );
  const parts: ServiceDefinition = {
    ...plantStore,
    openHandlers: async (...given) => ({
      ...(await plantStore.openHandlers(...given)),
      countPlants: async () => ({ status: 200, body: { count: 1n } }),
    }),
  };
  const log = makeLog('silent');
  const { address, tokens } = await serveOn(t, await makeDatabase(t), { parts, contract, log });
  const report = await check({
    document: readDocument(contract.text, contract.file),
    url: new URL(address),
    token: { text: await tokens.issue('first'), shell: '$PLANTS_TOKEN' },
    otherToken: { text: await tokens.issue('second'), shell: '$PLANTS_OTHER_TOKEN' },
    seed: 6,
  });
  t.same(
    report.findings.map(({ operation, rule, did }) => `${operation}: ${rule}: ${did}`),
    [],
  );
});
