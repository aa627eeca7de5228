/**
 * Takes the place of the validator that fastify-openapi-glue checks each document with (packages.ts). It checks
 * as much, but compiles OpenAPI's own schema once in a process, instead of once for each app: that takes a tenth of
 * a second of processor time, and some test files make twenty apps.
 */
import { Validator as Original } from '../../node_modules/@seriousme/openapi-schema-validator/index.js';

/** By version of OpenAPI. */
const compiled = {};

export class Validator extends Original {
  ajvValidators = compiled;
}
