/** Builds the mock from the service's own parts: its server, its routes, its checks and its errors. */
import type { FastifyInstance } from 'fastify';
import { operationsOf } from '../../contract-tools/index.js';
import {
  apiDocs,
  type Contract,
  contractRoutes,
  makeServer,
  type Operation,
  type ServerOptions,
} from '../../service/layer.js';
import { boundedPatternCheck } from './bounded-patterns.js';
import { credentialCheck, requirementsOf } from './credentials.js';
import {
  type Answers,
  choose,
  documentedAnswer,
  type ExampleAnswer,
  exampleAnswers,
  exampleHandlers,
  readPreference,
} from './examples.js';
import { type Refusal, type Refuse, toldIn } from './refusals.js';
import { withRoutableNames } from './route-names.js';
import { jsonText } from './samples.js';

interface MockParts extends ServerOptions {
  /** The credentials that are good. If left out, every credential is. */
  readonly credentials?: readonly string[] | undefined;
  /** Whether failures are answered as the document has them, and not in the service's own form. */
  readonly documentedFailures?: boolean;
}

/**
 * Builds the service without its database: the same routes, checks and errors. All answers are examples.
 *
 * @throws {ContractError} if the service's own layer cannot serve the contract (any-contract.ts)
 */
export async function buildMock({
  documentedFailures = false,
  credentials,
  ...parts
}: MockParts): Promise<FastifyInstance> {
  const app = await makeServer(parts);
  const { answers } = exampleAnswers(parts.contract);
  // The layer knows no schemas of the answers of such a contract (any-contract.ts).
  if (documentedFailures) app.setSerializerCompiler(() => jsonText);
  const refuse: Refuse = (id, refusal) => {
    const answer = documentedAnswer(parts.contract, answers, id, refusal.status);
    return answer && toldIn(answer, refusal);
  };
  if (documentedFailures) {
    const checkPatterns = boundedPatternCheck(operationsOf(parts.contract).operations);
    app.addHook('preHandler', async (request) => checkPatterns(request));
  }
  // The hook runs after security check and validation: a bad request gets the same error as in the service.
  app.addHook('preHandler', async (request, reply) => {
    const { operation } = request.routeOptions.config;
    if (operation === undefined) return;
    const preference = readPreference(String(request.headers['prefer'] ?? ''));
    const isPreferred = preference.code !== undefined || preference.example !== undefined;
    const answer = choose(answers.get(operation.id) ?? [], operation, preference);
    if (!isPreferred && answer.written === undefined) return;
    const { status, headers = {}, body, written } = answer;
    // RFC 7240, section 3.
    if (isPreferred) reply.header('Preference-Applied', `code=${status}`);
    reply.code(status).headers(headers);
    if (written !== undefined) return reply.type(written.mediaType).send(written.text);
    const { mediaType } = operation.responses.get(status)?.content ?? {};
    return body === undefined || mediaType === undefined ? reply.send() : reply.type(mediaType).send(body);
  });

  if (documentedFailures) answerAsDocumented(app, refuse, formsOf(parts.contract, answers));

  const check = credentialCheck(requirementsOf(parts.contract), parts.contract.title, credentials);
  const schemes = parts.contract.operations.flatMap(({ security }) => security.flat());
  await app.register(contractRoutes, {
    contract: { ...parts.contract, operations: parts.contract.operations.map(withRoutableNames) },
    security: Object.fromEntries(schemes.map((scheme) => [scheme, check])),
    handlers: exampleHandlers(parts.contract, answers),
  });
  await app.register(apiDocs, { contract: parts.contract, proxies: parts.proxies });
  return app;
}

/** An answer of the document, with its media type. */
interface Form {
  readonly answer: ExampleAnswer;
  readonly mediaType: string;
}

/** Finds the form of a failure that the document does not describe: that of another one. */
function formsOf({ operations }: Contract, answers: Answers): (operation?: Operation) => Form | undefined {
  const formOf = ({ id, responses }: Operation): Form | undefined => {
    const answer = answers.get(id)?.find(({ status, schema }) => status >= 400 && schema !== undefined);
    const mediaType = answer && responses.get(answer.status)?.content?.mediaType;
    return mediaType === undefined || answer === undefined ? undefined : { answer, mediaType };
  };
  const [usual] = operations.flatMap((operation) => formOf(operation) ?? []);
  return (operation) => (operation && formOf(operation)) ?? usual;
}

/** A failure of the service's own layer need not fit the document, which describes failures of its own. */
function answerAsDocumented(app: FastifyInstance, refuse: Refuse, formOf: ReturnType<typeof formsOf>): void {
  app.addHook('preSerialization', async (_request, reply, payload) => {
    if (reply.statusCode >= 400) reply.serializer((body) => jsonText(body));
    return payload;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { operation } = request.routeOptions.config;
    const refusal = refusalIn(reply.statusCode, payload);
    if (refusal === undefined || reply.hasHeader('preference-applied')) return payload;
    const answer = operation && documentedRefusal(operation, refusal, refuse);
    reply.removeHeader('content-length');
    if (operation === undefined || answer === undefined) {
      const form = formOf(operation);
      if (form === undefined) return payload;
      reply.type(form.mediaType);
      return jsonText(toldIn(form.answer, refusal).body);
    }
    const challenge = reply.getHeader('www-authenticate');
    reply.code(answer.status).headers(answer.headers ?? {});
    if (challenge !== undefined) reply.header('WWW-Authenticate', challenge);
    if (answer.written !== undefined) {
      reply.type(answer.written.mediaType);
      return answer.written.text;
    }
    const { mediaType } = operation.responses.get(answer.status)?.content ?? {};
    if (answer.body === undefined || mediaType === undefined) {
      reply.removeHeader('content-type');
      return '';
    }
    reply.type(mediaType);
    return jsonText(answer.body);
  });
}

function documentedRefusal({ id }: Operation, refusal: Refusal, refuse: Refuse): ExampleAnswer | undefined {
  if (refusal.status !== 400) return refuse(id, refusal);
  // The layer answers 400 to each wrong request. Many have a 422 for a body that can be read, and does not fit.
  const unfit = { ...refusal, status: 422 };
  return refusal.message.startsWith('body')
    ? (refuse(id, unfit) ?? refuse(id, refusal))
    : (refuse(id, refusal) ?? refuse(id, unfit));
}

/** @returns what the layer has to say of a request; undefined if the answer is another one */
function refusalIn(status: number, payload: unknown): Refusal | undefined {
  if (status < 400 || typeof payload !== 'string' || payload === '') return undefined;
  const value: unknown = JSON.parse(payload);
  const isRefusal = typeof value === 'object' && value !== null && 'error' in value && 'message' in value;
  return isRefusal && value.error === status ? { status, message: String(value.message) } : undefined;
}
