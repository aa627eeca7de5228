/**
 * The third door, for the tools: what reads a contract, serves its operations, and keeps its tables. A service of one's
 * own needs index.ts and program.ts only.
 */
export { bearerCheck } from './src/access/bearer.js';
export { hashToken, makeToken } from './src/access/token.js';
export { maxLookups, TokenStore } from './src/access/token-store.js';
export { jsonDocument } from './src/api-docs/json-document.js';
export { apiDocs } from './src/api-docs/routes.js';
export { borrowPostgres } from './src/command-line/borrow-postgres.js';
export { type CheckAnswer, compileAnswers } from './src/contract/answer/response-check.js';
export { type Contract, contractOf } from './src/contract/contract.js';
export type { Content } from './src/contract/document/content.js';
export { digestOf } from './src/contract/document/digest.js';
export { membersOf } from './src/contract/document/members.js';
export type { Operation } from './src/contract/document/operations.js';
export type { Parameter } from './src/contract/document/parameters.js';
export type { Response } from './src/contract/document/responses.js';
export type { GeneratedDocument } from './src/contract/generated.js';
export { type AnyAnswer, type AnyHandler, implement } from './src/contract/handlers.js';
export { InvalidRequestError, MethodNotAllowedError } from './src/contract/request/request-errors.js';
export { compileRequest } from './src/contract/request/validation.js';
export { routerPath } from './src/contract/route.js';
export { contractRoutes } from './src/contract/routes.js';
export { DatabaseUnavailableError, OutcomeUnknownError } from './src/errors/database.js';
export { failure } from './src/errors/failure.js';
export { overloads } from './src/errors/overloads.js';
export { reasonOf } from './src/errors/reason.js';
export { StartError } from './src/errors/start.js';
export { maxLists } from './src/fairness/long-lists.js';
export { headersOfAnswer } from './src/http/answer-headers.js';
export { maxHeaders, maxUnanswered } from './src/http/connections.js';
export { lingeringLimits } from './src/http/lingering.js';
export { backlog, listen } from './src/http/listening.js';
export { defaultTimeouts, makeServer, type ServerOptions } from './src/http/server.js';
export { makeLog } from './src/log/log.js';
export { Database, defaultLimits, type Statement } from './src/postgres/database.js';
export { MigrationError } from './src/postgres/migration-files.js';
export { migrate } from './src/postgres/migrations.js';
export { isUnavailable } from './src/postgres/sqlstate.js';
export { sourceFolder } from './src/project.js';
export { type ServiceDefinition, tokenMigrations } from './src/resources/service-of.js';
export { stringFormats } from './src/schema/formats.js';
export { unknownMemberRemoval } from './src/schema/known-members.js';
export { isNumericFormat } from './src/schema/numbers.js';
export {
  type ContractSchema,
  compileSchema,
  sentenceOf,
  subschemasOf,
  typesOf,
} from './src/schema/schema.js';
export { type SchemaReader, schemaReader } from './src/schema/schema-reader.js';
export { convertedWithin } from './src/schema/subschemas.js';
export { longNames, readFrontSettings, readSettings } from './src/settings.js';
export { explainFailure } from './src/start/explain-failure.js';
export type { LoadEmbedded } from './src/start/postgres-in-use.js';
export { tryDatabase } from './src/start/try-database.js';
export { type ColumnType, quoted } from './src/store/columns/columns.js';
export { hiddenValues } from './src/store/start/hidden-values.js';
export type { StoredTable } from './src/store/table.js';
